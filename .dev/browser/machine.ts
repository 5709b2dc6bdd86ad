/**
 * Clock and DNS of the servers under test. Each server loads this file before its own program. It then reads both from
 * the file that `WCS_BROWSER_MACHINE` names, so that a test can move time and publish TXT records.
 */
import dns from "node:dns/promises"
import { readFileSync, renameSync, writeFileSync } from "node:fs"

interface State {
  /** How far the clock of the servers is ahead of this machine's. */
  readonly aheadMillis: number
  /** TXT records by name. */
  readonly texts: Readonly<Record<string, ReadonlyArray<string>>>
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
  readonly publish: (name: string, text: string) => void
}

/** A machine whose state is kept in a file. */
export const makeMachine = (file: string): Machine => {
  write(file, { aheadMillis: 0, texts: {} })
  return {
    environment: { [variable]: file, NODE_OPTIONS: `--import=${import.meta.url}` },
    now: () => machineNow() + read(file).aheadMillis,
    advance: (seconds) => {
      const state = read(file)
      write(file, { ...state, aheadMillis: state.aheadMillis + seconds * 1000 })
    },
    publish: (name, text) => {
      const state = read(file)
      write(file, { ...state, texts: { ...state.texts, [name]: [text] } })
    }
  }
}

const own = process.env[variable]
if (own !== undefined) {
  Date.now = () => machineNow() + read(own).aheadMillis
  dns.Resolver.prototype.resolveTxt = async (name) => (read(own).texts[name] ?? []).map((text) => [text])
}
