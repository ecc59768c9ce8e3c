package webtest_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
)

// bench is one gateway and one person in front of it.
type bench struct {
	*browser.Tab
	gateway *webtest.Gateway
	url     string
	// turns receives the id of each turn that hold has taken from the tour.
	turns chan string
}

// TestPage runs every scenario in one Chromium, each in a profile of its own.
func TestPage(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := webtest.New()
			s := httptest.NewServer(g.Handler())
			t.Cleanup(func() {
				g.CutStreams(0)
				s.CloseClientConnections()
				s.Close()
			})
			x := &bench{Tab: b.Tab(t), gateway: g, url: s.URL, turns: make(chan string, 8)}
			x.Go(s.URL + "/")
			scenario(t, x)
		})
	}
}

var scenarios = map[string]func(*testing.T, *bench){
	"a login opens the empty page, and a question is answered with a table":      tour,
	"a wrong password says so and keeps the name":                                wrongPassword,
	"text streams, a new attempt starts over, the stored message replaces it":    streaming,
	"a reload in the middle keeps text, stop button and place":                   reloadMidStream,
	"a stream that is cut reconnects and shows every event once":                 reconnect,
	"a failed turn can be resumed":                                               resume,
	"confirmed, writing and written are told apart":                              phases,
	"a confirmation whose answer is lost is sent again under one decision id":    lostDecision,
	"a cancelled proposal says that nothing was written":                         cancelled,
	"a changed telephone number is shown digit by digit":                         phone,
	"the earlier revisions of a draft are compared on its card":                  earlierRevisions,
	"a queued decision says that it counts only if it is processed in time":      queued,
	"at the deadline the card locks, asks the server and shows expired":          expiry,
	"a decision after the end shows who decided":                                 decidedElsewhere,
	"a refusal names the fact, and one click proposes again":                     refusedAndAgain,
	"a failed write can be retried":                                              failedAndRetried,
	"a pending card survives a reload and stands in the inbox":                   pendingSurvives,
	"two tabs show one decision":                                                 twoTabs,
	"digits answer a question only while its card has the focus":                 questionKeys,
	"the composer answers the open question until the chip is removed":           replyChip,
	"hostile Markdown loads nothing and links nowhere":                           hostile,
	"Enter that accepts an input method's candidate does not send":               inputMethod,
	"a message whose answer is lost is sent again under one key":                 lostMessage,
	"an expired login is renewed in place and keeps the text":                    loginAgain,
	"an approved write that needs a login goes on after it":                      needsLogin,
	"a conversation is renamed, and deleted with what waits after a second word": manage,
	"an upward scroll lets go of the end":                                        scrolling,
	"the page fits 320 pixels and reaches its menu":                              narrow,
	"keys open help, focus the composer and can be switched off":                 keys,
	"the link of a written document opens its record, and the way back goes on":  linkOpensTheRecord,
	"a record links to others, and says where there is no right":                 linkedRecords,
	"a record asks for a login and then shows itself; what is missing says so":   recordAfterLogin,
	"a form lists its records by page and finds them by text":                    recordList,
	"the catalogue shows domains, reports apart and what waits":                  catalogue,
	"a list sorts, filters, pages and exports, and the way back finds its place": listOfRecords,
	"an order is keyed in with live totals, and a lost answer makes it once":     keyIn,
	"what is wrong stands at its field, and nothing keyed in is lost":            fieldProblems,
	"a record and a line are keyed in without a pointer, over an expired login":  byKeyboard,
	"a record that somebody else has saved shows both versions":                  conflict,
	"an answer to an older question does not change the totals":                  staleTotals,
	"an order is examined and cancelled after a picture of it":                   examine,
	"a draft is kept, changed line by line and deleted":                          draftAndDelete,
	"a delivery takes a part, the next one the rest and another order's":         generateParts,
	"what the assistant filled in is marked, saved and completes the proposal":   staging,
	"a staging that has ended says why and takes no save":                        stagingEnds,
	"to-dos come by themselves, open their form and retry":                       toDos,
	"no native page violates WCAG A or AA in Chinese, dark":                      nativeAccess("zh", true),
	"no native page violates WCAG A or AA in English, light":                     nativeAccess("en", false),
	"no screen violates WCAG A or AA in Chinese, light":                          accessible("zh", false),
	"no screen violates WCAG A or AA in English, dark":                           accessible("en", true),
}

// login logs in as the clerk.
func (x *bench) login() {
	x.Click(".demo-logins .btn:nth-of-type(1)")
	x.Until("document.querySelector('#composer') && document.querySelector('.examples')")
}

// ask sends a message from the composer.
func (x *bench) ask(text string) {
	x.Type("#composer", text)
	x.Click(".round.send")
}

// hold logs in and takes the answers from the tour: the test plays the agent.
func (x *bench) hold(text string) (*webtest.Conversation, string) {
	x.gateway.Say = func(_ *webtest.Conversation, id, _ string) { x.turns <- id }
	x.login()
	x.ask(text)
	id := <-x.turns
	x.Until("location.pathname.startsWith('/c/') && document.querySelector('.turn[data-status=running]')")
	return x.gateway.Conversations()[0], id
}

// proposal logs in and leads to an open card with that deadline.
func (x *bench) proposal(deadline time.Time) (*webtest.Conversation, string) {
	c, turn := x.hold("给华东贸易下一张订单")
	c.Propose(turn, webtest.OrderCard("1", deadline))
	x.Until("document.querySelector('.card [data-verb=approve]')")
	return c, turn
}

// keep writes a screenshot when ERPILOT_SHOTS names a directory.
func (x *bench) keep(name string) {
	if dir := os.Getenv("ERPILOT_SHOTS"); dir != "" {
		x.Shot(filepath.Join(dir, name+".png"))
	}
}

func tomorrow() time.Time { return time.Now().Add(24 * time.Hour) }
