package main

import (
	"fmt"
	"math"
)

// statistic summarizes the values of one library: the median over the processes, and the lowest of all.
type statistic struct {
	Median float64 `json:"median"`
	Lowest float64 `json:"lowest"`
}

func (s statistic) orNil() *statistic {
	if s == (statistic{}) {
		return nil
	}
	return &s
}

// row is a complete line of the tables, so that tables can be made from JSON.
type row struct {
	Set       string    `json:"set"`
	Item      string    `json:"item"`
	Group     string    `json:"group"`
	Title     string    `json:"title"`
	Unit      unit      `json:"unit"`
	Ours      statistic `json:"vkloader"`
	Reference statistic `json:"reference"`
	Ratio     float64   `json:"ratio"` // of the medians
	// Another loader, and a program without a loader, if measured.
	Peer   *statistic `json:"peer,omitempty"`
	Bare   *statistic `json:"bare,omitempty"`
	Budget string     `json:"budget,omitempty"`
	Met    *bool      `json:"met,omitempty"`
}

func newRow(set string, it item, ours, reference statistic) row {
	r := row{Set: set, Item: it.key, Group: it.group, Title: it.title, Unit: it.unit, Ours: ours, Reference: reference}
	if reference.Median != 0 {
		r.Ratio = ours.Median / reference.Median
	}
	b := budgetOf(set, it.key)
	if b == nil {
		return r
	}
	var met bool
	switch {
	case b.is:
		r.Budget, met = "yes", ours.Lowest == 1
	case b.ratio > 0:
		// Budgets are compared with two digits, as in the tables; measurements are not more precise.
		r.Budget, met = fmt.Sprintf("≤ %.2f", b.ratio), math.Round(r.Ratio*100) <= b.ratio*100
	default:
		r.Budget, met = "≤ reference + "+show(b.more, it.unit), ours.Median <= reference.Median+b.more
	}
	r.Met = &met
	return r
}

// show formats a number with its unit, with about three digits.
func show(v float64, u unit) string {
	digits := func(v float64) string {
		switch {
		case v >= 100:
			return fmt.Sprintf("%.0f", v)
		case v >= 10:
			return fmt.Sprintf("%.1f", v)
		}
		return fmt.Sprintf("%.2f", v)
	}
	switch {
	case u == yes && v == 1:
		return "yes"
	case u == yes:
		return "no"
	case u == number || u == kilobytes && v < 1024:
		return fmt.Sprintf("%.0f%s", v, suffix(u))
	case u == kilobytes:
		return digits(v/1024) + " MB"
	case u == instructions && v < 1000:
		return fmt.Sprintf("%.1f", v)
	case u == instructions && v < 1e6:
		return digits(v/1e3) + " k"
	case u == instructions:
		return digits(v/1e6) + " M"
	case v < 1e3:
		return digits(v) + " ns"
	case v < 1e6:
		return digits(v/1e3) + " µs"
	}
	return digits(v/1e6) + " ms"
}

func suffix(u unit) string {
	if u == number {
		return ""
	}
	return " " + string(u)
}

// show formats the median, and the lowest value if it differs much.
func (s statistic) show(u unit) string {
	if u != nanoseconds {
		return show(s.Median, u)
	}
	return show(s.Median, u) + " (" + show(s.Lowest, u) + ")"
}
