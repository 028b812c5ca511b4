"""Rewards in trainers' own forms, and a server: what needs an extra says so when it is used."""
