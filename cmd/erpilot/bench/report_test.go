//go:build unix

package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"
)

const (
	// turnSamples and writeSamples bound the sequential parts, each of which also
	// ends when its time is over.
	turnSamples, writeSamples = 100, 60
	turnTime, writeTime       = 110 * time.Second, 80 * time.Second
	// rest lies before each sequential measure, so that it does not pay for what the
	// one before it left to be done (closed workflows, their visibility).
	rest = 150 * time.Millisecond
	// warmUp rounds are not counted: caches, prepared statements, pollers.
	warmUp = 5
	// turnsOfConversation is how long the conversations get.
	turnsOfConversation = 5
	// atOnce people each say burst things, rounds times.
	atOnce, burst, rounds = 32, 3, 3
)

// BenchmarkReport measures everything once and prints one table.
func BenchmarkReport(b *testing.B) {
	p := newPlace(b)
	ctx := b.Context()
	var r report
	for range b.N {
		r.Reset()
		p.report(ctx, &r)
	}
	fmt.Fprintln(os.Stdout)
	fmt.Fprintln(os.Stdout, r.String())
	if file := os.Getenv("ERPILOT_BENCH_FILE"); file != "" {
		if err := os.WriteFile(file, []byte(r.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

func (p *place) report(ctx context.Context, r *report) {
	p.b.Helper()
	before := load()
	t := p.turns(ctx)
	w := p.writes(ctx)
	c := p.crowd(ctx)
	r.line("| measure | p50 ms | p95 ms | p50 ÷ (a) | p50 ÷ (b) | p95 ÷ (b) | aim |")
	r.line("|---|---:|---:|---:|---:|---:|---|")
	for _, x := range []row{
		{"read turn, POST sent → end on the screen", t.seen, t.empty, t.steps, .8},
		{"read turn, POST sent → workflow closed", t.closed, t.empty, t.steps, 0},
		{"read turn, POST answered → end on the screen", t.afterAnswer, t.empty, t.steps, 0},
		{"first token on the screen, answered at once", t.hello, t.empty, t.steps, 0},
		{"first token on the screen, after one read", t.first, t.empty, t.steps, 0},
		{"confirm sent → ERP commit", w.committed, w.empty, w.executed, 1.2},
		{"confirm sent → result on the screen", w.shown, w.empty, w.executed, 0},
		{"confirm sent → answer", w.answered, w.empty, w.updated, 0},
		{"(a) empty workflow", t.empty, nil, nil, 0},
		{"(b) workflow of 3 no-op activities", t.steps, t.empty, nil, 0},
		{"(b) update → one no-op activity", w.executed, w.empty, nil, 0},
		{"(b) update → answer", w.updated, w.empty, nil, 0},
	} {
		r.line("%s", x)
	}
	r.line("")
	r.line("| %d at once | a second | ÷ (a) | ÷ (b) |", atOnce)
	r.line("|---|---:|---:|---:|")
	turns, steps, empty := median(c.turns), median(c.steps), median(c.empty)
	r.line("| read turns | %.1f | %.2f | %.2f |", turns, turns/empty, turns/steps)
	r.line("| (b) workflows of 3 no-op activities | %.1f | %.2f | |", steps, steps/empty)
	r.line("| (a) empty workflows | %.1f | | |", empty)
	r.line("")
	r.line("| history events | measured | aim |")
	r.line("|---|---:|---|")
	r.line("| read turn | %d | ≤ 16 |", t.events)
	r.line("| approved write, turn + operation | %d + %d = %d | ≤ 30 |", w.turnEvents, w.opEvents, w.turnEvents+w.opEvents)
	r.line("| (b) 3 no-op activities | %d | |", t.bareEvents)
	r.line("")
	r.line("%s Samples: %d read turns, %d short answers, %d writes, %d × %d turns at once, in turn with (a) and (b). "+
		"Noise: the middle half of (b) took %s; load average %s before and %s after.",
		p.machine, len(t.seen), len(t.hello), len(w.committed), rounds, atOnce*burst, spread(t.steps), before, load())
}

// must ends the benchmark on an error.
func (p *place) must(err error) {
	p.b.Helper()
	if err != nil {
		p.b.Fatal(err)
	}
}

// timed is what turns and their yardsticks took.
type timed struct {
	seen, closed, afterAnswer, first, hello, empty, steps samples
	events, bareEvents                                    int
}

// turns measures read turns and short answers one after the other.
func (p *place) turns(ctx context.Context) (t timed) {
	p.b.Helper()
	who, err := p.login(ctx, "li")
	p.must(err)
	var reads, hellos *screen
	var end time.Time
	for i := range warmUp + turnSamples {
		if i == warmUp {
			end, t = time.Now().Add(turnTime), timed{}
		}
		if i > warmUp && time.Now().After(end) {
			break
		}
		n := i%turnsOfConversation + 1
		if n == 1 {
			for _, s := range []**screen{&reads, &hellos} {
				if *s != nil {
					(*s).close()
				}
				*s, err = who.open(ctx)
				p.must(err)
			}
		}
		p.inTurn(ctx,
			func() { p.turn(ctx, reads, n, &t) },
			func() { t.hello = append(t.hello, p.hello(ctx, hellos, n)) },
			func() { t.empty = append(t.empty, p.bareRun(ctx, p.bare.empty)) },
			func() { t.steps = append(t.steps, p.bareRun(ctx, p.bare.steps)) },
		)
	}
	reads.close()
	hellos.close()
	run, err := p.bare.start(ctx, "Steps", 3)
	p.must(err)
	p.must(run.Get(ctx, nil))
	t.bareEvents = p.events(ctx, run.GetID())
	return t
}

// inTurn measures one thing after the other, rested, each round in another order.
func (p *place) inTurn(ctx context.Context, measure ...func()) {
	p.b.Helper()
	rand.Shuffle(len(measure), func(i, j int) { measure[i], measure[j] = measure[j], measure[i] })
	for _, m := range measure {
		select {
		case <-ctx.Done():
			p.must(ctx.Err())
		case <-time.After(rest):
		}
		m()
	}
}

// hello is the time to the first token of a turn that is answered at once.
func (p *place) hello(ctx context.Context, s *screen, n int) time.Duration {
	p.b.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	x, err := s.say(ctx, sayHello, n)
	p.must(err)
	return x.firstToken.Sub(x.sent)
}

// turn is one read turn, from the message to the end.
func (p *place) turn(ctx context.Context, s *screen, n int, t *timed) {
	p.b.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	x, err := s.say(ctx, sayRead, n)
	p.must(err)
	p.must(p.app.Temporal.GetWorkflow(ctx, x.workflowID, "").Get(ctx, nil))
	closed := time.Now()
	t.seen, t.closed = append(t.seen, x.ended.Sub(x.sent)), append(t.closed, closed.Sub(x.sent))
	t.afterAnswer, t.first = append(t.afterAnswer, x.ended.Sub(x.accepted)), append(t.first, x.firstToken.Sub(x.sent))
	if t.events == 0 {
		t.events = p.events(ctx, x.workflowID)
	}
}

func (p *place) bareRun(ctx context.Context, run func(context.Context) (time.Duration, error)) time.Duration {
	p.b.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d, err := run(ctx)
	p.must(err)
	return d
}

// events counts the history of a workflow.
func (p *place) events(ctx context.Context, workflowID string) (n int) {
	p.b.Helper()
	it := p.app.Temporal.GetWorkflowHistory(ctx, workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		_, err := it.Next()
		p.must(err)
		n++
	}
	return n
}

// written is what confirmed writes and their yardsticks took.
type written struct {
	committed, shown, answered, empty, executed, updated samples
	turnEvents, opEvents                                 int
}

// writes measures confirmations one after the other.
func (p *place) writes(ctx context.Context) (w written) {
	p.b.Helper()
	who, err := p.login(ctx, "li")
	p.must(err)
	var end time.Time
	for i := range warmUp + writeSamples {
		if i == warmUp {
			end, w = time.Now().Add(writeTime), written{}
		}
		if i > warmUp && time.Now().After(end) {
			break
		}
		p.write(ctx, who, &w)
	}
	return w
}

// write is one order, from the proposal to the end of its turn.
func (p *place) write(ctx context.Context, who *person, w *written) {
	p.b.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := who.open(ctx)
	p.must(err)
	defer s.close()
	waiting, err := p.bare.waiting(ctx)
	p.must(err)
	card, err := s.propose(ctx)
	p.must(err)
	p.inTurn(ctx,
		func() {
			c, err := s.confirm(ctx, card)
			p.must(err)
			w.committed = append(w.committed, p.erp.at(card.OpID).Sub(c.sent))
			w.shown, w.answered = append(w.shown, c.shown.Sub(c.sent)), append(w.answered, c.answered.Sub(c.sent))
		},
		func() {
			answer, executed, err := p.bare.decide(ctx, waiting)
			p.must(err)
			w.updated, w.executed = append(w.updated, answer), append(w.executed, executed)
		},
		func() { w.empty = append(w.empty, p.bareRun(ctx, p.bare.empty)) },
	)
	if w.opEvents == 0 {
		turn, op := fmt.Sprintf("turn-%s-1", s.conversation), "op-"+card.OpID
		for _, id := range []string{turn, op} {
			p.must(p.app.Temporal.GetWorkflow(ctx, id, "").Get(ctx, nil))
		}
		w.turnEvents, w.opEvents = p.events(ctx, turn), p.events(ctx, op)
	}
}

// rates are workflows a second, one number a round.
type rates struct{ turns, steps, empty []float64 }

// crowd lets many people talk at once, each in a conversation of their own.
func (p *place) crowd(ctx context.Context) (c rates) {
	p.b.Helper()
	names := []string{"li", "wang", "smith"}
	var screens []*screen
	for i := range atOnce {
		who, err := p.login(ctx, names[i%len(names)])
		p.must(err)
		s, err := who.open(ctx)
		p.must(err)
		defer s.close()
		screens = append(screens, s)
	}
	said := 0
	talk := func() float64 {
		n := said
		said += burst
		return p.atOnce(ctx, func(ctx context.Context, i int) error {
			for k := range burst {
				if _, err := screens[i].say(ctx, sayRead, n+k+1); err != nil {
					return err
				}
			}
			return nil
		})
	}
	several := func(run func(context.Context) (time.Duration, error)) func() float64 {
		return func() float64 {
			return p.atOnce(ctx, func(ctx context.Context, _ int) error {
				for range burst {
					if _, err := run(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	steps, empty := several(p.bare.steps), several(p.bare.empty)
	talk() // warm: connections of the pool
	for range rounds {
		c.turns, c.steps, c.empty = append(c.turns, talk()), append(c.steps, steps()), append(c.empty, empty())
	}
	return c
}

// atOnce runs do for everybody and returns how many of its bursts ended a second.
func (p *place) atOnce(ctx context.Context, do func(context.Context, int) error) float64 {
	p.b.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	var ready sync.WaitGroup
	ready.Add(atOnce)
	began := make(chan struct{})
	for i := range atOnce {
		group.Go(func() error {
			ready.Done()
			<-began
			return do(ctx, i)
		})
	}
	ready.Wait()
	start := time.Now()
	close(began)
	p.must(group.Wait())
	return float64(atOnce*burst) / time.Since(start).Seconds()
}
