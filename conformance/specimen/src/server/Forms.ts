// The forms of values that callers send, by their names in the table of faults.

/** The type of a JSON value. */
export const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : typeof value

/** How a text fails to be JSON. */
export const formOfBrokenJson = (text: string): string => {
  const trimmed = text.trim()
  if (!/^[{[]/.test(trimmed)) return "a word"
  return /[}\]]$/.test(trimmed) ? "inside" : "cut"
}

/** A number in a query. */
export const formOfNumber = (asked: string): string => {
  if (/^-?\d+$/.test(asked)) return "whole"
  if (asked.trim() === "") return "empty"
  if (/^-?\d*[.,]\d*$/.test(asked)) return "fraction"
  if (/^\d/.test(asked)) return /^\d+e\d+$/i.test(asked) ? "exponent" : "digits and letters"
  return "letters"
}

/** An id in a path that names no resource. `prefix` is that of the ids of the group. */
export const formOfId = (prefix: string, id: string): string => {
  if (prefix !== "" && id === prefix) return "the prefix alone"
  if (id.length > 200) return "long"
  if (id.includes("\u0000")) return "NUL"
  if (/^(wkr|app|cred|exo|rec|fet|hook)_\w+$/.test(id)) {
    return id.startsWith(prefix) ? "another length" : "another group"
  }
  if (/['"]/.test(id)) return "a quote"
  if (/[%*_?]$/.test(id)) return "a wildcard"
  if (/[/\\.]/.test(id)) return "a path"
  if (/\s/.test(id)) return "a space"
  if (/[^ -~]/.test(id)) return "foreign"
  return /^\d+$/.test(id) ? "a number" : "a word"
}
