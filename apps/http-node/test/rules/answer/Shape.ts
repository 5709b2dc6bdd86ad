/** The shape of JSON: its keys and the type of each value. */
export const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value
  const entries = Object.entries(value).toSorted(([one], [two]) => (one < two ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, shapeOf(inner)]))
}
