package gateway

import "sync"

// flights keeps one update in flight per operation: Temporal takes ten at most,
// and whoever comes second is better told how the first ended.
type flights struct {
	mu  sync.Mutex
	air map[string]chan struct{}
}

// join makes the caller the leader, who must land; others get a channel that is
// closed when the leader has.
func (f *flights) join(key string) (wait <-chan struct{}, leader bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.air[key]; ok {
		return c, false
	}
	if f.air == nil {
		f.air = map[string]chan struct{}{}
	}
	f.air[key] = make(chan struct{})
	return nil, true
}

func (f *flights) land(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.air[key])
	delete(f.air, key)
}
