"""Other people's graders beside `grade`: what they compare alike, and which hacks pass where."""
