"""Audits as text, HTML, SARIF and a graph."""
