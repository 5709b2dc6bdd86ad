/** Where the screen that a person wanted is kept during the login. Only this tab of this origin can read it. */
const key = "wcs.next"

/** How long a login may take, in milliseconds. Later, the tab may belong to somebody else. */
const longestMillis = 15 * 60_000

/** Whether this is the address of a screen, and nothing of another site. */
const isScreen = (address: string): boolean => /^\/console(?:[/?]|$)/.test(address)

/** Goes to the login. The screen of the present address is opened after it. */
export const logInFirst = (): void => {
  sessionStorage.setItem(key, JSON.stringify({ address: location.pathname + location.search, at: Date.now() }))
  location.replace("/login")
}

/** Forgets the wanted screen, because the person has logged out. */
export const forgetWanted = (): void => sessionStorage.removeItem(key)

/** The address of a screen in a stored text; undefined if the text has none, or if it is too old. */
export const wantedIn = (text: string | null, now: number): string | undefined => {
  try {
    const { address, at } = JSON.parse(text ?? "")
    const isFresh = typeof at === "number" && now - at >= 0 && now - at < longestMillis
    return typeof address === "string" && isFresh && isScreen(address) ? address : undefined
  } catch {
    return undefined
  }
}

/** Shows the screen that was wanted before the login in place of the first screen. */
export const showWanted = (): void => {
  const text = sessionStorage.getItem(key)
  if (text === null || location.pathname !== "/console") return
  forgetWanted()
  const wanted = wantedIn(text, Date.now())
  if (wanted !== undefined) history.replaceState(null, "", wanted)
}
