"""What hostile texts cost whoever reads them, and a server's honest clients meanwhile."""
