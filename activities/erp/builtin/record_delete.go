package builtin

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/jackc/pgx/v5"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// deleteRecord removes one row that nothing refers to. Its history stays.
type deleteRecord struct{}

type deleteStep struct{ recordStep }

func (deleteRecord) gather(ctx context.Context, j *job) (step, error) {
	s := &deleteStep{recordStep{key: j.change.Target, bad: j.problems()}}
	if len(j.change.Payload) > 0 && !isNull(j.change.Payload) {
		parse(j.change.Payload, j.form.parts["delete"], true, zoneOf(j.id), s.bad)
		if err := s.bad.err(); err != nil {
			return nil, err
		}
	}
	if err := s.hold(ctx, j, "UPDATE"); err != nil {
		return nil, err
	}
	if s.old == nil {
		return nil, j.missing()
	}
	if err := s.oldLinks(ctx, j); err != nil {
		return nil, err
	}
	s.object = s.name(j)
	s.list = append(s.list, j.versionFact(s.key, s.object, s.old["version"]))
	return s, s.judge(ctx, j)
}

func (s *deleteStep) check(*job) error { return s.bad.err() }

func (s *deleteStep) apply(ctx context.Context, j *job) (outcome, error) {
	out := outcome{bill: s.key, preview: nouns.Preview{Object: s.object, Payload: json.RawMessage("{}"),
		Notes: []nouns.Label{{Zh: "删除后不能恢复", En: "What is deleted does not come back"}}}}
	for _, f := range j.form.fields {
		if v := s.old[f.Name]; v != "" && f.Name != "version" && !f.Hidden {
			out.preview.Diffs = append(out.preview.Diffs, s.diff(j, f, v, ""))
		}
	}
	err := j.write(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM "+j.form.base()+" t WHERE t.tenant_id = $1 AND t."+j.form.key()+" = $2", j.tenant, s.key); err != nil {
			return err
		}
		// Foreign keys speak now and not at the end.
		_, err := tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
		return err
	})
	if err != nil {
		return outcome{}, err
	}
	version, err := strconv.ParseInt(s.old["version"], 10, 64)
	if err != nil {
		return outcome{}, err
	}
	return out, j.remember(ctx, j.form.Form, s.key, version+1, out.preview.Diffs)
}
