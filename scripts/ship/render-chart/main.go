// Renders a chart without a cluster, with what Helm's own engine consists of: text/template, sprig, and the functions and
// objects that Helm adds. For tests: only what the chart of this repository uses is here.
//
// Prints one JSON document: the values after merging, the notes, and every manifest as Kubernetes would read it.
//
//	render-chart <chart> [<values file>…]
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

type rendered struct {
	Values    object     `json:"values"`
	Notes     string     `json:"notes"`
	Manifests []manifest `json:"manifests"`
}

type manifest struct {
	Source  string `json:"source"`
	Content object `json:"content"`
}

// files is what templates see as .Files: paths below the chart, and what they hold.
type files map[string][]byte

func (f files) Get(name string) string { return string(f[name]) }

func (f files) Glob(pattern string) files {
	found := files{}
	for name, content := range f {
		if matches, _ := filepath.Match(pattern, name); matches {
			found[name] = content
		}
	}
	return found
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: render-chart <chart> [<values file>…]"))
	}
	result, err := render(os.Args[1], os.Args[2:])
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

func render(chart string, valuesFiles []string) (*rendered, error) {
	values := object{}
	for _, file := range append([]string{filepath.Join(chart, "values.yaml")}, valuesFiles...) {
		over := object{}
		if err := read(file, &over); err != nil {
			return nil, err
		}
		merge(values, over)
	}
	context, err := contextOf(chart, values)
	if err != nil {
		return nil, err
	}
	sources, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return nil, err
	}
	sort.Strings(sources)
	templates := newTemplates()
	for _, source := range sources {
		content, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		if _, err := templates.New(filepath.Base(source)).Parse(string(content)); err != nil {
			return nil, err
		}
	}
	result := &rendered{Values: values}
	for _, source := range sources {
		name := filepath.Base(source)
		if strings.HasPrefix(name, "_") {
			continue
		}
		text, err := execute(templates, name, context)
		if err != nil {
			return nil, err
		}
		if name == "NOTES.txt" {
			result.Notes = text
			continue
		}
		manifests, err := split(name, text)
		if err != nil {
			return nil, err
		}
		result.Manifests = append(result.Manifests, manifests...)
	}
	return result, nil
}

func contextOf(chart string, values object) (object, error) {
	metadata := object{}
	if err := read(filepath.Join(chart, "Chart.yaml"), &metadata); err != nil {
		return nil, err
	}
	// Templates write .Chart.AppVersion where the file has appVersion.
	described := object{}
	for name, value := range metadata {
		described[strings.ToUpper(name[:1])+name[1:]] = value
	}
	attached, err := attachedTo(chart)
	if err != nil {
		return nil, err
	}
	return object{
		"Values":  values,
		"Chart":   described,
		"Files":   attached,
		"Release": object{"Name": "vault", "Namespace": "payments", "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
	}, nil
}

func attachedTo(chart string) (files, error) {
	attached := files{}
	err := filepath.Walk(filepath.Join(chart, "files"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		name, err := filepath.Rel(chart, path)
		if err != nil {
			return err
		}
		attached[name], err = os.ReadFile(path)
		return err
	})
	return attached, err
}

func newTemplates() *template.Template {
	// As Helm does: a member that is missing is no error, and is printed as nothing.
	templates := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	// Helm keeps charts from reading the environment.
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["fromYaml"] = func(text string) (object, error) {
		value := object{}
		return value, yaml.Unmarshal([]byte(text), &value)
	}
	functions["fromYamlArray"] = func(text string) ([]interface{}, error) {
		value := []interface{}{}
		err := yaml.Unmarshal([]byte(text), &value)
		return value, err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	// Without a cluster, Helm finds no object either. Tests name a file with those that it would find.
	functions["lookup"] = func(_, kind, _, name string) (object, error) {
		found := map[string]object{}
		if file := os.Getenv("RENDER_CHART_OBJECTS"); file != "" {
			if err := read(file, &found); err != nil {
				return nil, err
			}
		}
		return found[kind+"/"+name], nil
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		return execute(templates, name, data)
	}
	return templates.Funcs(functions)
}

func execute(templates *template.Template, name string, data interface{}) (string, error) {
	var text strings.Builder
	err := templates.ExecuteTemplate(&text, name, data)
	return strings.ReplaceAll(text.String(), "<no value>", ""), err
}

// split parses each document as Kubernetes does, and refuses a key that is there twice.
func split(source, text string) ([]manifest, error) {
	var found []manifest
	for _, document := range strings.Split("\n"+text, "\n---") {
		content := object{}
		if err := yaml.UnmarshalStrict([]byte(document), &content); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", source, err, document)
		}
		if len(content) > 0 {
			found = append(found, manifest{source, content})
		}
	}
	return found, nil
}

func read(file string, into interface{}) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(content, into)
}

// merge puts values of over above those of base; null removes one.
func merge(base, over object) {
	for name, value := range over {
		above, isObject := value.(object)
		below, wasObject := base[name].(object)
		switch {
		case value == nil:
			delete(base, name)
		case isObject && wasObject:
			merge(below, above)
		default:
			base[name] = value
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
