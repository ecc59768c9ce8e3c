package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// Whatever is done with documents, one thing after the other: every preview is
// what then happens, every invariant holds after every write, and what is refused
// is refused by its preview already.
func TestDocumentsKeepEveryInvariantInAnyOrderOfActions(t *testing.T) {
	t.Parallel()
	l := newMall(t)
	done := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		s, err := l.open(ctx)
		if err != nil {
			rt.Fatal(err)
		}
		a := &actor{shop: s, conn: l.conn, ch: drawn(rt)}
		for range rapid.IntRange(40, 80).Draw(rt, "steps") {
			c, err := a.next(ctx)
			if err != nil {
				rt.Fatal(err)
			}
			a.step(ctx, rt, c, done)
		}
	})
	t.Logf("written: %v", done)
	if len(done) < 25 {
		t.Errorf("only %d kinds of changes were written: %v", len(done), slices.Sorted(maps.Keys(done)))
	}
}

// drawn draws evenly, which ranges of rapid do not: their small numbers come too often
// for a walk that must get far.
func drawn(t *rapid.T) chooser {
	seven := rapid.Custom(func(t *rapid.T) int {
		v := 0
		for range 7 {
			v *= 2
			if rapid.Bool().Draw(t, "bit") {
				v++
			}
		}
		return v
	})
	return func(label string, n int) int { return seven.Draw(t, label) % n }
}

// step previews and writes one change alone in the company.
func (a *actor) step(ctx context.Context, t *rapid.T, c nouns.Change, done map[string]int) {
	said := fmt.Sprintf("%s %s %s %s", c.Form, c.Action, c.Target, c.Payload)
	p, err := a.c.Preview(ctx, a.id, c)
	if err != nil {
		if fault.CodeOf(err) != fault.ValidationFailed {
			t.Fatalf("%s: %v", said, err)
		}
		for _, x := range fault.ProblemsOf(err) {
			if x.Detail == "" || strings.Contains(x.Detail, "数据库拒绝") {
				t.Fatalf("%s: the problem of %q says %q: %v", said, x.Field, x.Detail, err)
			}
		}
		return
	}
	x := confirmed(c, p)
	got, err := a.c.Execute(ctx, a.id, x)
	if err != nil || got.Status != nouns.CommitExecuted {
		t.Fatalf("%s was previewed, then %+v %+v %v", said, got, got.Refusal, err)
	}
	is, err := a.result(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	if d := differ(p, is); d != "" {
		t.Fatalf("%s: the result differs from the preview (-preview +result):\n%s", said, d)
	}
	broken, err := a.broken(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(broken) > 0 {
		t.Fatalf("after %s:\n%s", said, strings.Join(broken, "\n"))
	}
	done[c.Form+" "+c.Action]++
}

// differ compares a preview with the result, as both are kept: in JSON. The write
// is given the normalised payload, so what the preview noted about the keyed one
// (lines that were merged) comes before the notes that both have.
func differ(preview, result nouns.Preview) string {
	preview.Provisional = false
	preview.Notes = preview.Notes[max(0, len(preview.Notes)-len(result.Notes)):]
	var a, b any
	for from, into := range map[*nouns.Preview]*any{&preview: &a, &result: &b} {
		raw, _ := json.Marshal(from)
		_ = json.Unmarshal(raw, into)
	}
	return cmp.Diff(a, b)
}

// Several people at once: what has moved is refused, and nothing else goes wrong.
func TestDocumentsKeepEveryInvariantUnderConcurrentActions(t *testing.T) {
	t.Parallel()
	const people, steps = 6, 20
	l := newMall(t)
	var mu sync.Mutex
	outcomes := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		s, err := l.open(ctx)
		if err != nil {
			rt.Fatal(err)
		}
		// A common past, so that people meet at the same documents from the start.
		first := &actor{shop: s, conn: l.conn, ch: stream(rapid.Uint64().Draw(rt, "past"))}
		for range 20 {
			if _, err := first.try(ctx); err != nil {
				rt.Fatal(err)
			}
		}
		made := make([]map[string]int64, people)
		errs := make([]error, people)
		var wg sync.WaitGroup
		for i := range people {
			a := &actor{shop: s, conn: connect(t, l.url), ch: stream(rapid.Uint64().Draw(rt, "person"))}
			made[i] = map[string]int64{}
			wg.Go(func() {
				defer a.conn.Close(ctx)
				for range steps {
					o, err := a.try(ctx)
					if err != nil {
						errs[i] = err
						return
					}
					mu.Lock()
					outcomes[o]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				rt.Error(err)
			}
		}
		broken, err := s.broken(ctx)
		if err != nil {
			rt.Fatal(err)
		}
		if len(broken) > 0 {
			rt.Fatalf("after all:\n%s", strings.Join(broken, "\n"))
		}
	})
	var deadlocks int
	if err := l.conn.QueryRow(context.Background(), "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&deadlocks); err != nil {
		t.Fatal(err)
	}
	t.Logf("outcomes: %v, deadlocks that were run again: %d", outcomes, deadlocks)
	if outcomes["executed"] < people*steps {
		t.Errorf("hardly anything was written: %v", outcomes)
	}
}

func stream(seed uint64) chooser {
	r := rand.New(rand.NewPCG(seed, 20261130))
	return func(_ string, n int) int { return r.IntN(n) }
}

// try does one thing while others do theirs, and tells how it went: executed, a
// code of a refusal, or a code of what the preview says. Everything else is an error.
func (a *actor) try(ctx context.Context) (string, error) {
	c, err := a.next(ctx)
	if err != nil {
		return "", err
	}
	said := fmt.Sprintf("%s %s %s %s", c.Form, c.Action, c.Target, c.Payload)
	p, err := a.c.Preview(ctx, a.id, c)
	switch fault.CodeOf(err) {
	case "":
	case fault.ValidationFailed, fault.NotFound: // somebody deleted the draft
		return "preview: " + string(fault.CodeOf(err)), nil
	default:
		return "", fmt.Errorf("preview of %s: %w", said, err)
	}
	x := confirmed(c, p)
	got, err := a.c.Execute(ctx, a.id, x)
	switch {
	case err != nil:
		return "", fmt.Errorf("execution of %s: %w", said, err)
	case got.Status == nouns.CommitExecuted:
		return "executed", nil
	case got.Status != nouns.CommitRefused:
		return "", fmt.Errorf("execution of %s: %+v", said, got)
	case got.Refusal.Fact == nil && got.Refusal.Code != string(fault.RecordChanged) && (got.Refusal.Code != string(fault.ValidationFailed) || !strings.Contains(got.Refusal.Detail, "库存不足")):
		// What a preview allowed and is wrong now is so because a fact moved, or because
		// goods that lie there have been promised (what is promised is no fact of a move).
		return "", fmt.Errorf("%s was refused without a fact: %+v", said, got.Refusal)
	}
	return "refused: " + got.Refusal.Code, nil
}

func TestGoodsThatWerePromisedMeanwhileStay(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newMall(t)
	s, err := l.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	a := &actor{shop: s, conn: l.conn}
	c := changing("stock_adjustment", "create", "", m{"reason": "damage", "warehouse": "WH-2", "lines": []m{{"product": "P-1", "quantity": "-20"}}})
	p, err := l.c.Preview(ctx, s.id, c)
	if err != nil {
		t.Fatal(err)
	}
	a.write(ctx, t, "sales_order", "create", "", m{"customer": "C-1", "warehouse": "WH-2", "lines": []m{{"product": "P-1", "quantity": "20"}}})
	got, err := l.c.Execute(ctx, s.id, confirmed(c, p))
	if err != nil || got.Status != nouns.CommitRefused || !strings.Contains(got.Refusal.Detail, "库存不足") {
		t.Errorf("%+v %+v %v", got, got.Refusal, err)
	}
	if broken, err := s.broken(ctx); err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
}
