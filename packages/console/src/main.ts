import { createElement, render } from "preact"
import { App } from "./shell/App.tsx"

/** Draws the console into an element of the page. */
export const start = (root: Element): void => render(createElement(App, {}), root)

// Reloads a page that the browser kept in memory, because its session may have ended.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById("console")
if (root !== null) start(root)
