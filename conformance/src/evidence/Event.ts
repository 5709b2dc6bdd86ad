import type { Finding } from "../judgement/Finding.ts"
import type { Residue } from "../judgement/Residue.ts"
import type { Impact } from "../profile/Impact.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Evidence } from "./Evidence.ts"

/** The events of a run, in order, with handles instead of secrets. Reporters use nothing else. */
export type Event =
  | {
      readonly type: "run-started"
      /** The run's id, part of every name that the run creates. */
      readonly run: string
      /** The command that runs the suite; absent in records of earlier releases. */
      readonly suite?: string
      readonly suiteVersion: string
      readonly catalogueDigest: string
      readonly profile: string
      readonly deployment: { readonly product?: string; readonly version?: string; readonly contact?: string }
      readonly target: string
      readonly ceiling: Impact
      /** The seed of the random choices. */
      readonly seed?: number
      /** Unix milliseconds. */
      readonly startedAt: number
      /** The walks that will run. */
      readonly walks: ReadonlyArray<string>
      /** The selected rules; null for all. */
      readonly only: ReadonlyArray<string> | null
    }
  | { readonly type: "exchange"; readonly exchange: Exchange }
  /** Data that judging the run again needs in addition to the exchanges. */
  | { readonly type: "evidence"; readonly evidence: Evidence }
  | { readonly type: "finding"; readonly finding: Finding }
  | { readonly type: "walk-ended"; readonly walk: string; readonly millis: number }
  | { readonly type: "residue"; readonly residue: Residue }
  | {
      readonly type: "run-ended"
      /** Unix milliseconds. */
      readonly endedAt: number
      readonly ending: Ending
    }

/** How a run ended. */
export type Ending =
  | { readonly as: "finished" }
  | { readonly as: "interrupted" }
  /** Nothing could be judged: no response, or rejected credentials. */
  | { readonly as: "unreachable"; readonly sentence: string }
