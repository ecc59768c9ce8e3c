package erp

import "github.com/erpilot/erpilot/schema/fault"

// Fault is the refusal as an error for the person who saved by hand; what moved is
// named in their language.
func (r Refusal) Fault(locale string) *fault.Error {
	params := fault.Params{}
	for k, v := range map[string]string{"old": r.Old, "new": r.New, "detail": r.Detail} {
		if v != "" {
			params[k] = v
		}
	}
	if f := r.Fact; f != nil {
		params["form"], params["key"], params["field"], params["object"] = f.Form, f.Key, f.Field, f.Object
		params["label"] = f.Label.In(locale)
	}
	return &fault.Error{Code: fault.Code(r.Code), Params: params}
}

// VersionIn returns the version of a record as the facts have it.
func VersionIn(facts []Fact, form, key string) (version string, ok bool) {
	for _, f := range facts {
		if f.Kind == FactVersion && f.Form == form && f.Key == key && f.Field == "version" {
			return f.Value, true
		}
	}
	return "", false
}
