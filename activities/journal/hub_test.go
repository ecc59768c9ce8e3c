package journal_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
)

var tenant = identity.Tenant{BrandID: "acme", SubsidiaryID: "east"}

func piece(message string, attempt, offset int, text string) event.Delta {
	return event.Delta{ConversationID: "c1", TurnID: "t1", MessageID: message, Attempt: attempt, Offset: offset, Text: text}
}

// drain takes what is queued, without waiting.
func drain(s journal.Subscription) (list []event.Delta, open bool) {
	for {
		select {
		case d, ok := <-s.Deltas():
			if !ok {
				return list, false
			}
			list = append(list, d)
		default:
			return list, true
		}
	}
}

func TestNewReaderBeginsWithTheTextSoFar(t *testing.T) {
	t.Parallel()
	hub, ctx := journal.NewHub(), context.Background()
	hub.Publish(ctx, tenant, piece("m1", 1, 0, "hel"))
	hub.Publish(ctx, tenant, piece("m1", 1, 3, "lo"))
	s := hub.Subscribe(tenant, "c1")
	defer s.Close()
	hub.Publish(ctx, tenant, piece("m1", 1, 5, "!"))
	got, _ := drain(s)
	want := []event.Delta{piece("m1", 1, 0, "hello"), piece("m1", 1, 5, "!")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHubGivesEachByteOnceAndInOrder(t *testing.T) {
	t.Parallel()
	hub, ctx := journal.NewHub(), context.Background()
	s := hub.Subscribe(tenant, "c1")
	defer s.Close()
	for _, d := range []event.Delta{
		piece("m1", 1, 0, "abc"),
		piece("m1", 1, 0, "abc"),  // again
		piece("m1", 1, 1, "bcde"), // overlapping
		piece("m1", 1, 9, "z"),    // after a gap
		piece("m1", 2, 0, "new"),  // another attempt begins anew
		piece("m1", 1, 5, "f"),    // the old attempt is dead
	} {
		hub.Publish(ctx, tenant, d)
	}
	got, _ := drain(s)
	want := []event.Delta{piece("m1", 1, 0, "abc"), piece("m1", 1, 3, "de"), piece("m1", 2, 0, "new")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestForgottenMessageIsNotOpen(t *testing.T) {
	t.Parallel()
	hub, ctx := journal.NewHub(), context.Background()
	hub.Publish(ctx, tenant, piece("m1", 1, 0, "a"))
	hub.Publish(ctx, tenant, piece("m2", 2, 0, "b"))
	hub.Forget(ctx, tenant, "c1", "m1", 1)
	hub.Forget(ctx, tenant, "c1", "m2", 1) // only an older attempt
	open, err := hub.Open(ctx, nil, tenant, "c1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]event.Delta{piece("m2", 2, 0, "b")}, open); diff != "" {
		t.Error(diff)
	}
}

func TestSlowReaderIsClosedAndNobodyWaits(t *testing.T) {
	t.Parallel()
	hub, ctx := journal.NewHub(), context.Background()
	slow, quick := hub.Subscribe(tenant, "c1"), hub.Subscribe(tenant, "c1")
	defer slow.Close()
	defer quick.Close()
	read := 0
	for i := range 300 {
		hub.Publish(ctx, tenant, piece("m1", 1, i, "x"))
		got, open := drain(quick)
		if read += len(got); !open {
			t.Fatal("the quick reader was closed")
		}
	}
	if read != 300 {
		t.Errorf("the quick reader got %d of 300", read)
	}
	got, open := drain(slow)
	if open || len(got) != 256 {
		t.Errorf("the slow reader got %d pieces, open %v; want 256 and closed", len(got), open)
	}
}

func TestLongPiecesAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	hub := journal.NewHub()
	s := hub.Subscribe(tenant, "c1")
	defer s.Close()
	text := strings.Repeat("单价变化", 1000)
	hub.Publish(context.Background(), tenant, piece("m1", 1, 0, text))
	got, _ := drain(s)
	var whole strings.Builder
	for _, d := range got {
		if len(d.Text) > 4096 || d.Offset != whole.Len() || strings.ContainsRune(d.Text, '\uFFFD') {
			t.Errorf("piece at %d has %d bytes, want offset %d", d.Offset, len(d.Text), whole.Len())
		}
		whole.WriteString(d.Text)
	}
	if whole.String() != text {
		t.Error("the pieces do not make the text")
	}
}

func TestWakeReachesOnlyTheConversationOfTheTenant(t *testing.T) {
	t.Parallel()
	hub := journal.NewHub()
	mine, other, foreign := hub.Subscribe(tenant, "c1"), hub.Subscribe(tenant, "c2"),
		hub.Subscribe(identity.Tenant{BrandID: "acme", SubsidiaryID: "west"}, "c1")
	hub.Wake(tenant, "c1")
	hub.Wake(tenant, "c1")
	for name, c := range map[string]struct {
		s    journal.Subscription
		want int
	}{"mine": {mine, 1}, "other": {other, 0}, "foreign": {foreign, 0}} {
		if n := len(c.s.Woken()); n != c.want {
			t.Errorf("%s was woken %d times, want %d", name, n, c.want)
		}
		c.s.Close()
		c.s.Close() // closing twice is harmless
	}
}
