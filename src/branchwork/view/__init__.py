"""Pictures and printouts. This room draws models; it never grows them."""
