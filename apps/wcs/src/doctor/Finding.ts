/** The result of a check. The message of any other result than `ok` says what to do. */
export interface Finding {
  readonly check: string
  /** `failed`: the service does not start, or can lose data. `warning`: it works, but probably not as meant. */
  readonly result: "ok" | "warning" | "failed"
  readonly message: string
}

/** Makes the findings of a check. */
export const findingsOf = (check: string) => ({
  ok: (message: string): Finding => ({ check, result: "ok", message }),
  warning: (message: string): Finding => ({ check, result: "warning", message }),
  failed: (message: string): Finding => ({ check, result: "failed", message })
})
