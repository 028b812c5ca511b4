"""The endpoints' own requests and answers, one module for each interface."""
