package bundle

import "reflect"

// Value gives a copy of a value in which every text is hidden that Hide would hide; what JSON leaves out of it is left
// as it is.
func (p *Private) Value(value any) any {
	return p.hidden(reflect.ValueOf(value)).Interface()
}

// Hidden is Value for a value of a known type.
func Hidden[T any](p *Private, value T) T { return p.Value(value).(T) }

func (p *Private) hidden(v reflect.Value) reflect.Value {
	if !v.IsValid() {
		return v
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(p.Hide(v.String()))
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			below := p.hidden(v.Elem())
			if v.Kind() == reflect.Pointer {
				out.Set(reflect.New(v.Type().Elem()))
				out.Elem().Set(below)
			} else {
				out.Set(below)
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(p.hidden(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMap(v.Type()))
			for _, key := range v.MapKeys() {
				out.SetMapIndex(p.hidden(key), p.hidden(v.MapIndex(key)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				out.Field(i).Set(p.hidden(v.Field(i)))
			}
		}
	}
	return out
}
