/** Moves the focus to the content of the screen. */
export const focusMain = (): void => document.getElementById("main")?.focus()
