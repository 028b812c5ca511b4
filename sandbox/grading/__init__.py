"""Grading: does a program pass its tests? Expected values never enter the guest's process."""
