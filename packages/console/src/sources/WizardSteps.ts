import type { Register } from "./SourceState.tsx"

/** The steps of setting up a source, in order. */
export const steps = [
  ["register", "Register"],
  ["gateway", "Gateway and secret"],
  ["test", "Test"],
  ["limits", "Interval and limits"],
  ["done", "Done"]
] as const

export type Step = (typeof steps)[number][0]

/** The address of a step. It holds what was chosen, but never the secret. */
export const addressOf = (step: Step, state: { readonly credentialType?: string; readonly source?: string }): string =>
  `/console/verification-sources/new?${new URLSearchParams({ step, ...state })}`

/** The step that an address shows: those after the gateway need the source. */
export const stepAt = (asked: string | undefined, register: Register | undefined, hasSource: boolean): Step => {
  const known = steps.find(([one]) => one === asked)?.[0] ?? "register"
  if (register === undefined) return "register"
  return hasSource || known === "register" ? known : "gateway"
}
