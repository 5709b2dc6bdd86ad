import type { ComponentType } from "preact"
import type { Privilege } from "../calls/Me.ts"
import { NewWorker } from "../people/NewWorker.tsx"
import { Workers } from "../people/Workers.tsx"

/** A screen: its address, its place in the menu, and the privilege that it needs. */
export interface ScreenRow {
  /** Below `/console`; `:id` is passed to the component. */
  readonly path: `/${string}`
  readonly component: ComponentType<{ readonly id: string }>
  /** The menu's section and words. Screens without them are reached from others. */
  readonly menu?: readonly [section: "People" | "Credentials" | "Webhooks" | "Access", words: string]
  readonly needs?: Privilege
}

/** All screens, in the order of the menu. */
export const screens: ReadonlyArray<ScreenRow> = [
  { path: "/workers", component: Workers, menu: ["People", "Workers"], needs: "worker:READ" },
  { path: "/workers/new", component: NewWorker, needs: "worker:CREATE" }
]

/** The root of all screens. */
export const consoleRoot = "/console"
