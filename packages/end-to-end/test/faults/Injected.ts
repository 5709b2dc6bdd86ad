import type { Environment } from "../Process.ts"

const modules = {
  ClockSteps: new URL("./injected/ClockSteps.ts", import.meta.url),
  EarlyAnswers: new URL("./injected/EarlyAnswers.ts", import.meta.url),
  KillAt: new URL("./injected/KillAt.ts", import.meta.url),
  Memory: new URL("./injected/Memory.ts", import.meta.url),
  Unsafe: new URL("./injected/Unsafe.ts", import.meta.url)
}

/** The environment of a process with a fault. Node loads the fault before the modules of the process. */
export const injected = (fault: keyof typeof modules, at?: Fatal): Environment => ({
  NODE_OPTIONS: `--import ${modules[fault]}`,
  ...(at === undefined ? {} : { WCS_FAULT_AT: JSON.stringify(at) })
})

/** The statement at which a process is killed: the n-th that begins with `statement`. */
export interface Fatal {
  readonly statement: string
  readonly when: "before" | "after"
  readonly number: number
}
