package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/cmd/erpilot/approvals"
	"github.com/erpilot/erpilot/schema/demo"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/temporaltest"
)

// approvalsBudget is short, so that a test without a worker need not wait long.
const approvalsBudget = 3 * time.Second

// approvals runs `erpilot approvals …` with the given lines on its standard input.
func (w *world) approvals(stdin string, args ...string) (string, error) {
	w.t.Helper()
	return w.approvalsWith(demo.Password, stdin, args...)
}

func (w *world) approvalsWith(password, stdin string, args ...string) (string, error) {
	w.t.Helper()
	var cli struct {
		Approvals approvals.Command `cmd:""`
	}
	parser, err := kong.New(&cli, kong.BindTo(w.t.Context(), (*context.Context)(nil)))
	if err != nil {
		w.t.Fatal(err)
	}
	run, err := parser.Parse(append([]string{"approvals"}, args...))
	if err != nil {
		w.t.Fatal(err)
	}
	var out bytes.Buffer
	address := temporaltest.Start(w.t).Address
	err = run.Run(&approvals.Env{
		Dial:     approvals.Dial(client.Options{HostPort: address, Namespace: w.parts.Namespace}, "en"),
		Password: func(string) (string, error) { return password, nil },
		Login:    w.parts.ERP.Login, Key: w.parts.Key, In: strings.NewReader(stdin), Out: &out, Lang: "en", Budget: approvalsBudget,
	})
	return out.String(), err
}

// waits polls until the list shows the operation: visibility follows a moment later.
func (w *world) waits(opID string) {
	w.t.Helper()
	w.eventually("list with "+opID, func() bool {
		out, err := w.approvals("", "list")
		return err == nil && strings.Contains(out, opID)
	})
}

// approvalsWorld is a world in which one order waits for a decision.
func approvalsWorld(t *testing.T, options ...option) (*world, string, string) {
	t.Helper()
	w := newWorld(t, options...)
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	w.status(opID, operation.AwaitingApproval)
	return w, c, opID
}

func has(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(out, p) {
			t.Errorf("%q is missing in:\n%s", p, out)
		}
	}
}

func TestApprovalsListAndShowWhatWaits(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t)
	w.waits(opID)
	row := w.op(opID)

	out, err := w.approvals("", "list", "--tenant", w.tenant.String(), "--user", "li", "--form", "sales_order", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var items []approvals.Item
	if err := json.Unmarshal([]byte(out), &items); err != nil || len(items) != 1 {
		t.Fatalf("%v in %s", err, out)
	}
	if x := items[0]; x.OpID != opID || x.Form != "sales_order" || !x.Deadline.Equal(row.ExpiresAt.Truncate(time.Millisecond)) && !x.Deadline.Equal(row.ExpiresAt) {
		t.Errorf("listed %+v, deadline in the row is %s", x, row.ExpiresAt)
	}
	for _, filter := range [][]string{{"--tenant", "yunfan.beijing"}, {"--user", "wang"}, {"--form", `x" OR "1"="1`}} {
		if out, err := w.approvals("", append([]string{"list"}, filter...)...); err != nil || !strings.Contains(out, "Nothing waits") {
			t.Errorf("filter %v: %v %s", filter, err, out)
		}
	}

	out, err = w.approvals("", "show", opID)
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "上海晨光贸易有限公司", "龙井绿茶", "→", opID, row.Digest, "Waits for you")

	w.worker.Stop()
	out, err = w.approvals("", "show", "op-"+opID)
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "No worker answers", "上海晨光贸易有限公司", row.Digest)

	if _, err := w.approvals("", "show", "no-such-operation"); fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), "no-such-operation") {
		t.Errorf("an unknown operation is told as %v", err)
	}
}

func TestApprovalsApproveExecutesExactlyOnce(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t)
	before := w.orders()

	if _, err := w.approvals("no\n", "approve", opID, "--user", "li"); err == nil || !strings.Contains(err.Error(), "No decision was sent") {
		t.Fatalf("anything but yes is told as %v", err)
	}
	if _, err := w.approvals("", "approve", opID, "--user", "li"); err == nil {
		t.Fatal("the end of the input passes for a yes")
	}
	if row := w.op(opID); row.Status != string(operation.AwaitingApproval) {
		t.Fatalf("without a yes the operation is %s", row.Status)
	}
	out, err := w.approvals("yes\n", "approve", opID, "--user", "li")
	if err != nil {
		t.Fatal(err)
	}
	row := w.status(opID, operation.Executed)
	has(t, out, "You are about to approve", "Approved; nothing is written yet.", "Written to the ERP: "+row.ResultBill)
	if *row.DecidedBy != "li" || *row.DecidedVia != string(operation.ChannelTerminal) || w.orders() != before+1 {
		t.Errorf("decided by %s through %s, %d orders more", *row.DecidedBy, *row.DecidedVia, w.orders()-before)
	}
	w.event(c, event.OperationResult, 1)

	_, err = w.approvals("", "approve", opID, "--user", "li", "--yes")
	if fault.CodeOf(err) != fault.NotPending || !strings.Contains(err.Error(), "has ended (Written)") {
		t.Errorf("a second approval is told as %v", err)
	}
	if w.orders() != before+1 {
		t.Error("the second approval wrote again")
	}
}

func TestApprovalsRefuseWhoMayNotDecide(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t)
	_, err := w.approvals("", "approve", opID, "--user", "wang", "--yes")
	if fault.CodeOf(err) != fault.NotAllowedToDecide || !strings.Contains(err.Error(), "policy does not let you decide") {
		t.Fatalf("another user's approval is told as %v", err)
	}
	w.event(c, event.DecisionRefused, 1)
	_, err = w.approvals("", "approve", opID, "--unsigned", "--yes")
	if fault.CodeOf(err) != fault.Unverified {
		t.Fatalf("an unsigned approval is told as %v", err)
	}
	if _, err = w.approvalsWith("wrong", "", "approve", opID, "--user", "li", "--yes"); fault.CodeOf(err) != fault.BadCredentials {
		t.Fatalf("a wrong password is told as %v", err)
	}
	if _, err = w.approvals("", "approve", opID, "--yes"); fault.CodeOf(err) != fault.Invalid {
		t.Fatalf("a missing user is told as %v", err)
	}
	if row := w.op(opID); row.Status != string(operation.AwaitingApproval) {
		t.Fatalf("the refused decisions left the operation %s", row.Status)
	}
}

func TestApprovalsRejectAndCancelWriteNothing(t *testing.T) {
	t.Parallel()
	for verb, want := range map[string]operation.Status{"reject": operation.Rejected, "cancel": operation.Cancelled} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w, _, opID := approvalsWorld(t)
			before := w.orders()
			out, err := w.approvals("", verb, opID, "--user", "li", "--yes", "--comment", "not now")
			if err != nil {
				t.Fatal(err)
			}
			row := w.status(opID, want)
			has(t, out, "nothing was written")
			if row.DecisionComment != "not now" || w.orders() != before {
				t.Errorf("comment %q, %d orders more", row.DecisionComment, w.orders()-before)
			}
		})
	}
}

func TestApprovalsWithoutAWorkerAreQueuedAndExecutedOnce(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t)
	before := w.orders()
	w.worker.Stop()
	out, err := w.approvals("", "approve", opID, "--user", "li", "--yes")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "No worker answers: the decision is queued and counts only if it is processed before")
	w.startWorker()
	row := w.status(opID, operation.Executed)
	if *row.DecidedBy != "li" || *row.DecidedVia != string(operation.ChannelTerminal) || w.orders() != before+1 {
		t.Errorf("decided by %s through %s, %d orders more", *row.DecidedBy, *row.DecidedVia, w.orders()-before)
	}
}

func TestApprovalsTellOfWhatExpired(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t, withTTL(2*time.Second))
	before := w.orders()
	w.status(opID, operation.Expired)
	_, err := w.approvals("", "approve", opID, "--user", "li", "--yes")
	if err == nil || !strings.Contains(err.Error(), "has ended (Expired)") {
		t.Errorf("an expired operation is told as %v", err)
	}
	if w.orders() != before {
		t.Error("a late approval wrote an order")
	}
}
