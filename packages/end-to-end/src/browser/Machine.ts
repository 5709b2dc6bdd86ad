/**
 * Clock and DNS of the servers under test. Each server loads this file before its own program. It then reads the clock
 * from the file that `WCS_BROWSER_MACHINE` names, so that a test can move time.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { type Dns, makeDns } from "../deployment/Dns.ts"

interface State {
  /** How far the servers' clock is ahead of this machine's. */
  readonly aheadMillis: number
}

const variable = "WCS_BROWSER_MACHINE"
const machineNow = Date.now

const read = (file: string): State => JSON.parse(readFileSync(file, "utf8"))

const write = (file: string, state: State) => {
  writeFileSync(`${file}.new`, JSON.stringify(state))
  renameSync(`${file}.new`, file) // a server reads the old state or the new one, never half
}

export interface Machine {
  /** The environment of a server on this machine. */
  readonly environment: Readonly<Record<string, string>>
  readonly now: () => number
  readonly advance: (seconds: number) => void
  readonly publish: Dns["publish"]
}

/** A machine with its clock and DNS in files. */
export const makeMachine = (file: string): Machine => {
  write(file, { aheadMillis: 0 })
  const { environment, publish } = makeDns(`${file}.dns`)
  return {
    environment: {
      ...environment,
      [variable]: file,
      NODE_OPTIONS: `${environment.NODE_OPTIONS} --import=${import.meta.url}`
    },
    now: () => machineNow() + read(file).aheadMillis,
    advance: (seconds) => write(file, { aheadMillis: read(file).aheadMillis + seconds * 1000 }),
    publish
  }
}

const own = process.env[variable]
if (own !== undefined) Date.now = () => machineNow() + read(own).aheadMillis
