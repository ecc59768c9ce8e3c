package erp

// OpTypeOf is the kind of change that an action of a form is.
func OpTypeOf(action string) OpType {
	switch action {
	case "create":
		return OpCreate
	case "update":
		return OpUpdate
	case "delete":
		return OpDelete
	case "examine", "unexamine":
		return OpExamine
	case "generate":
		return OpGenerate
	default:
		return OpAction
	}
}
