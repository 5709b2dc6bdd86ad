import { createElement, render } from "preact"
import { App } from "./shell/App.tsx"
import { showWanted } from "./shell/DeepLink.ts"
import { screenAt } from "./shell/Screens.ts"

/** Draws the console into an element of the page. */
export const start = (root: Element): void => render(createElement(App, {}), root)

// Reloads a page that the browser kept in memory, because its session may have ended.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload()
})

showWanted()

// Loads the script of the screen while the shell asks who is logged in. The screen itself reports a failure.
screenAt(location.pathname)
  ?.component.preload()
  .catch(() => {})

const root = document.getElementById("console")
if (root !== null) start(root)
