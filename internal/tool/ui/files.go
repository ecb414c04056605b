package ui

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/validation"
)

var filesPage = &Page{Name: "files", Title: "Files", Data: filesOf}

// Maximum numbers of files on a page, and of lines of a file.
const (
	filesOfPage = 100
	linesOfPage = 1000
	longestLine = 2000
)

// filesView is the list of places, or one file.
type filesView struct {
	Kinds []filesKind
	Bad   []filesFile // files with problems, in search order
	File  *filesText
	Name  string // the searched name
	All   int    // the number of matching files

	Owners map[string]string // the package of each file
}

// filesKind is a kind of searched files, with the places in order.
type filesKind struct {
	Title  string
	Places []filesPlace
}

type filesPlace struct {
	explain.Searched
	Files []filesFile
	Mark  string // whether a settings file is in force; "": it is none
	More  int    // the number of further files
}

// filesFile is a file in a place.
type filesFile struct {
	Path, Base string
	In         bool
	Why        []string
	Problems   []validation.Remark
	Problem    string // the reason if it cannot be read
}

// filesText is a file's text with remarks on its lines.
type filesText struct {
	filesFile
	Lines []filesLine
	From  int // the first shown line
	Last  int
	Total int
}

type filesLine struct {
	Number  int
	Text    string
	Remarks []validation.Remark
}

// filesOf answers files and files?file=PATH.
func filesOf(r *Request) (any, error) {
	var searched struct{ Places []explain.Searched }
	if err := r.Tool.Run(r, "list", "paths", "--json").Decode(&searched); err != nil {
		return nil, err
	}
	m := r.Tool.Machine()
	for _, place := range settings.LayerPlaces(&m, settings.ThisDirectory(&m)) {
		p := explain.Searched{For: "settings of layers", Path: place.File, From: place.From,
			Exists: m.Exists(place.File), Manifests: []string{}}
		searched.Places = append(searched.Places, p)
	}
	force, err := filesInForce(r)
	if err != nil {
		return nil, err
	}
	if wanted := r.Ref("file"); wanted != "" {
		return filesOne(r, &m, searched.Places, wanted, force)
	}
	view := &filesView{Name: r.Query.Get("name")}
	judged, rows, err := examineFiles(r, pathsIn(searched.Places))
	if err != nil {
		return nil, err
	}
	var shown []string
	for _, p := range searched.Places {
		if n := len(view.Kinds); n == 0 || !strings.EqualFold(view.Kinds[n-1].Title, p.For) {
			view.Kinds = append(view.Kinds, filesKind{Title: strings.ToUpper(p.For[:1]) + p.For[1:]})
		}
		place := filesPlace{Searched: p, Mark: force[p.Path]}
		for _, file := range pathsIn([]explain.Searched{p}) {
			f := fileOf(file, judged, rows, force)
			if len(f.Problems) > 0 || f.Problem != "" {
				view.Bad = append(view.Bad, f)
			}
			if !strings.Contains(strings.ToLower(f.Base), strings.ToLower(view.Name)) {
				continue
			}
			if view.All++; view.All > filesOfPage {
				place.More++
				continue
			}
			place.Files = append(place.Files, f)
			shown = append(shown, file)
		}
		kind := &view.Kinds[len(view.Kinds)-1]
		kind.Places = append(kind.Places, place)
	}
	view.Bad = view.Bad[:min(len(view.Bad), filesOfPage)]
	view.Owners = ownersOf(&m, shown)
	return view, nil
}

// inForceMark marks a settings file that programs get.
const inForceMark = "in force"

// filesInForce returns the marks of settings files, by path, from "settings show".
func filesInForce(r *Request) (map[string]string, error) {
	shown, err := settingsInForce(r, "")
	if err != nil {
		return nil, err
	}
	marks := map[string]string{}
	for _, path := range shown.Shadowed {
		marks[path] = "ignored: another settings file is before it"
	}
	marks[shown.File] = inForceMark
	if shown.LayerSettings != nil {
		marks[shown.LayerSettings.File] = inForceMark
	}
	return marks, nil
}

// ownersOf returns the packages of files. Only the program rpm reads rpm's database, and the page does not start it.
func ownersOf(m *machine.Machine, files []string) map[string]string {
	owners := m.Owners(files)
	for _, file := range files {
		switch {
		case m.AsksRPM():
			owners[file] = string("unknown here: rpm -qf " + shell.Quoted(file))
		case !m.HasPackageList():
			owners[file] = "unknown: no list of packages was found"
		}
	}
	return owners
}

// pathsIn returns the files of places, in order.
func pathsIn(places []explain.Searched) (list []string) {
	for _, p := range places {
		switch {
		case !p.Exists || strings.HasSuffix(p.Path, ".sock"):
		case p.For == "settings" || p.For == "settings of layers" || len(p.Manifests) == 1 &&
			path.Base(p.Path) == p.Manifests[0]:
			list = append(list, p.Path)
		default:
			for _, name := range p.Manifests {
				list = append(list, path.Join(p.Path, name))
			}
		}
	}
	return list
}

// examineFiles returns the results of "validate" and "list" for files. It omits results for files of an unknown kind.
func examineFiles(r *Request, files []string) (judged map[string]*validation.Result,
	rows map[string][]discover.ListEntry, err error) {
	judged, rows = map[string]*validation.Result{}, map[string][]discover.ListEntry{}
	args := append([]string{"validate", "--json", "--file-only", "--"}, files...)
	if len(files) > 0 {
		var says struct{ Files []validation.Result }
		if err := r.Tool.Run(r, args...).Decode(&says); err != nil {
			return nil, nil, err
		}
		for i := range says.Files {
			judged[says.Files[i].Path] = &says.Files[i]
		}
	}
	for _, kind := range []string{"drivers", "layers"} {
		var says struct{ Found []discover.ListEntry }
		if err := r.Tool.Run(r, "list", kind, "--json").Decode(&says); err != nil {
			return nil, nil, err
		}
		for _, row := range says.Found {
			rows[row.Path] = append(rows[row.Path], row)
		}
	}
	return judged, rows, nil
}

// fileOf returns the data of a file.
func fileOf(file string, judged map[string]*validation.Result, rows map[string][]discover.ListEntry,
	force map[string]string) filesFile {
	f := filesFile{Path: file, Base: path.Base(file), In: force[file] == inForceMark}
	if why := force[file]; why != "" {
		f.Why = append(f.Why, why)
	}
	for _, row := range rows[file] {
		f.In = f.In || row.State(row.In) == string(standing.Used)
		if row.But != "" {
			row.Why = row.But + "; " + row.Why
		}
		if why := row.Subject + ": " + row.Why; row.Subject != row.Path && !slices.Contains(f.Why, why) {
			f.Why = append(f.Why, why)
		} else if row.Subject == row.Path && !slices.Contains(f.Why, row.Why) {
			f.Why = append(f.Why, row.Why)
		}
	}
	f.Why = f.Why[:min(len(f.Why), 5)]
	if v := judged[file]; v != nil {
		f.Problem = v.Problem
		for _, said := range v.Findings {
			if said.Severity != diag.Note {
				f.Problems = append(f.Problems, said)
			}
		}
	}
	return f
}

// filesOne returns the view of one searched file with its lines.
func filesOne(r *Request, m *machine.Machine, places []explain.Searched, wanted string,
	force map[string]string) (*filesView, error) {
	if !slices.Contains(pathsIn(places), wanted) { // the page shows no other files of the machine
		return nil, &fs.PathError{Op: "show", Path: wanted, Err: errors.New("the loader does not search this file")}
	}
	judged, rows, err := examineFiles(r, []string{wanted})
	if err != nil {
		return nil, err
	}
	one := &filesText{filesFile: fileOf(wanted, judged, rows, force)}
	r.Heading = one.Base
	text, err := m.ReadFile(wanted)
	if err != nil && one.Problem == "" {
		one.Problem = err.Error()
	}
	remarks := map[int][]validation.Remark{}
	if v := judged[wanted]; v != nil {
		for _, said := range v.Findings {
			remarks[said.Line] = append(remarks[said.Line], said)
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	one.Total = len(lines)
	one.From, _ = strconv.Atoi(r.Query.Get("line"))
	one.From = min(max(one.From-linesOfPage/2, 1), max(len(lines), 1))
	for n := one.From; n <= len(lines) && n < one.From+linesOfPage; n++ {
		line := filesLine{n, lines[n-1], remarks[n]}
		if len(line.Text) > longestLine {
			line.Text = strings.ToValidUTF8(line.Text[:longestLine], "") + " …"
		}
		one.Lines = append(one.Lines, line)
		one.Last = n
	}
	return &filesView{File: one, Owners: ownersOf(m, []string{wanted})}, nil
}

// Address returns the address of the file's text.
func (f filesFile) Address() string {
	return "#/files?file=" + url.QueryEscape(url.QueryEscape(f.Path))
}

// At returns the address of a line.
func (f filesFile) At(line int) string { return f.Address() + "&line=" + strconv.Itoa(line) }
