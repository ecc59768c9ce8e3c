package chat

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

// prompt tells the person that it is their turn, and what the keys do with a card
// that is new.
func (s *session) prompt() {
	v := s.view
	if v.busy() || v.writing != nil {
		return
	}
	if n := v.openCards(); v.fresh && n > 0 {
		key := "chat.decide"
		if n > 1 {
			key = "chat.decide_many"
		}
		s.line("  %s", s.say(key))
	}
	v.fresh = false
	if s.interactive && !v.prompted {
		s.write("» ")
		v.prompted = true
	}
}
