"""Acts by which others count: handing a team over, taking it back, revoking a device."""
