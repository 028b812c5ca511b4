"""Policies: what a guest may use, and which layers hold it.

Empty on purpose: the supervisor imports `sandbox.policy.plan`, and must not drag pydantic into
every child. The caller takes `Policy` from `sandbox` or from `sandbox.policy.model`.
"""
