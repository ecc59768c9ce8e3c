package store

// Text is the value of a nullable column, "" for NULL.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Nullable is what a nullable column stores: NULL for "".
func Nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
