import { useLocation } from "preact-iso/router"

/** The query parameters of a screen: filters, sort and cursor, so that every list can be linked. */
export const useUrlState = (): readonly [
  Readonly<Record<string, string>>,
  (changes: Readonly<Record<string, string>>, options?: { readonly replaces?: boolean }) => void
] => {
  const { path, query, route } = useLocation()
  const change = (changes: Readonly<Record<string, string>>, { replaces = false } = {}) => {
    // Not the address of the last render: another filter may have changed during the delay of a search.
    const present = Object.fromEntries(new URLSearchParams(location.search))
    const next = Object.entries({ ...present, ...changes }).filter(([, value]) => value !== "")
    route(next.length === 0 ? path : `${path}?${new URLSearchParams(next)}`, replaces)
  }
  return [query, change]
}
