package erpweb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gowebpki/jcs"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

// nativePatience is how long a native save may wait for locks before its facts
// count as too old.
const nativePatience = 2 * time.Minute

type previewBody struct {
	Action  string          `json:"action"`
	Target  string          `json:"target"`
	Payload json.RawMessage `json:"payload"`
}

// preview computes what a change would do: the live totals of a form.
func (s *Server) preview(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	var body previewBody
	if err := decode(w, r, maxRecord, &body); err != nil {
		return err
	}
	change, err := changeOf(r.PathValue("form"), body)
	if err != nil {
		return err
	}
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	p, err := s.erp.Preview(r.Context(), id, change)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]any{"preview": p})
}

// changeOf checks the shape of a change; what it says is the ERP's to judge.
func changeOf(form string, b previewBody) (nouns.Change, error) {
	if len(b.Payload) == 0 || string(b.Payload) == "null" {
		b.Payload = json.RawMessage(`{}`)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(b.Payload, &object); err != nil {
		return nouns.Change{}, fault.New(fault.Invalid, "field", "payload", "detail", "payload must be a JSON object")
	}
	// What a save cannot take must not look good in a preview: a key that comes twice,
	// half of a surrogate pair.
	if _, err := jcs.Transform(b.Payload); err != nil {
		return nouns.Change{}, fault.Wrap(fault.Invalid, err, "field", "payload", "detail", "payload has a key twice, or text that is not valid Unicode")
	}
	if b.Action == "" || len(b.Action) > 64 || len(b.Target) > maxKey {
		return nouns.Change{}, fault.New(fault.Invalid, "field", "action", "detail", "action is missing, or action or target is too long")
	}
	return nouns.Change{Form: form, Action: b.Action, OpType: nouns.OpTypeOf(b.Action), Target: b.Target, Payload: b.Payload}, nil
}

type saveBody struct {
	previewBody
	// Version of the record that the page showed: text or number; none for new records.
	Version json.RawMessage `json:"version"`
	// Token is a UUID that the page makes once per press of save.
	Token string `json:"token"`
	// Staging is the operation that this save finishes; none for a save of one's own.
	Staging string `json:"staging"`
}

// version is the version that the page showed, as text.
func (b saveBody) version() string {
	v := strings.Trim(string(b.Version), `"`)
	if v == "null" {
		return ""
	}
	return v
}

// save writes what a person has keyed in, once per token.
func (s *Server) save(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	var body saveBody
	if err := decode(w, r, maxRecord, &body); err != nil {
		return err
	}
	// One UUID has several spellings; they are one token.
	token, err := uuid.Parse(body.Token)
	if err != nil {
		return fault.New(fault.Invalid, "field", "token", "detail", "token must be a UUID, made once per save")
	}
	body.Token = token.String()
	if len(body.Version) > 40 {
		return fault.New(fault.Invalid, "field", "version", "detail", "version is that of the record that was read")
	}
	change, err := changeOf(r.PathValue("form"), body.previewBody)
	if err != nil {
		return err
	}
	if body.Staging != "" {
		saved, err := s.staging.SaveStaged(r.Context(), tenant, userID, body.Staging, operation.NativeSave{Form: change.Form, Action: change.Action,
			Target: change.Target, Payload: change.Payload, Version: body.version(), Token: body.Token})
		if err != nil {
			return err
		}
		if saved.Status == operation.AwaitingApproval {
			return answer(w, http.StatusAccepted, saved)
		}
		return answer(w, http.StatusOK, saved)
	}
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	commit, err := s.write(r, id, change, body)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, operation.NativeSaved{Status: operation.Executed, Form: change.Form, Action: change.Action, Bill: commit.Bill,
		Bills: commit.Bills, Link: commit.Link, Replayed: commit.Replayed})
}

// write previews and executes the change under the page's token.
func (s *Server) write(r *http.Request, id erp.Identity, change nouns.Change, body saveBody) (nouns.Commit, error) {
	ctx := r.Context()
	x := nouns.Execution{ClientToken: "native:" + id.User.UserID + ":" + body.Token, Attempt: 1, Handed: true,
		Deadline: time.Now().Add(nativePatience), DecidedBy: id.User.UserID, Channel: string(operation.ChannelNative)}
	var err error
	if x.Digest, err = digest(change, body.version()); err != nil {
		return nouns.Commit{}, err
	}
	// A repeated save gets the first answer, before the change is judged by what it
	// has done itself.
	first, err := s.erp.FindCommitted(ctx, id, x.ClientToken)
	switch {
	case err == nil && first.Digest != x.Digest:
		return first, fault.New(fault.TokenReused)
	case err == nil:
		first.Replayed = true
		return first, nil
	case fault.CodeOf(err) != fault.NotFound:
		return first, err
	}
	preview, err := s.erp.Preview(ctx, id, change)
	if err == nil || fault.CodeOf(err) == fault.ValidationFailed { // judged by what the record is now
		if moved := s.moved(r, id, change, body.version(), preview.Facts, preview.Object); moved != nil {
			return nouns.Commit{}, moved
		}
	}
	if err != nil {
		return nouns.Commit{}, err
	}
	change.Payload = preview.Payload
	x.Change, x.Facts = change, preview.Facts
	commit, err := s.erp.Execute(ctx, id, x)
	if err != nil {
		return commit, err
	}
	switch commit.Status {
	case nouns.CommitExecuted:
		return commit, nil
	case nouns.CommitRefused:
		return commit, commit.Refusal.Fault(string(id.User.Locale))
	default:
		return commit, fault.New(fault.Unavailable)
	}
}

// moved compares the version that the page showed with the record's; nil when it
// holds or when there is nothing to compare.
func (s *Server) moved(r *http.Request, id erp.Identity, change nouns.Change, version string, facts []nouns.Fact, object string) error {
	if version == "" || change.Target == "" {
		return nil
	}
	now, known := nouns.VersionIn(facts, change.Form, change.Target)
	if !known {
		page, err := s.erp.Read(r.Context(), id, nouns.Query{Form: change.Form, Mode: nouns.Record, ID: change.Target})
		if err != nil {
			return nil //nolint:nilerr // Preview says better what is wrong.
		}
		v, ok := page.Record["version"]
		if !ok {
			return nil
		}
		now = fmt.Sprint(v)
	}
	if now == version {
		return nil
	}
	if object == "" {
		object = change.Target
	}
	return fault.New(fault.RecordChanged, "form", change.Form, "key", change.Target, "object", object, "old", version, "new", now)
}

// digest covers all that a save says, so that the same token with other values is
// told apart.
func digest(c nouns.Change, version string) (string, error) {
	raw, err := json.Marshal(map[string]any{"form": c.Form, "action": c.Action, "target": c.Target, "payload": c.Payload, "version": version})
	if err != nil {
		return "", fault.Wrap(fault.Internal, err)
	}
	canonical, err := jcs.Transform(raw)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, err, "field", "payload", "detail", "payload is not canonical JSON")
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
