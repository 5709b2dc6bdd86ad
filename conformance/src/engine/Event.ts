import type { Impact } from "../catalogue/Impact.ts"
import type { Evidence } from "../evidence/Evidence.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Finding } from "./Finding.ts"
import type { Residue } from "./Residue.ts"

/** What a run tells as it goes, in order; every reporter lives on this alone. All of it is redacted. */
export type Event =
  | {
      readonly type: "run-started"
      /** The run's id, part of every name that it makes. */
      readonly run: string
      readonly suiteVersion: string
      readonly catalogueDigest: string
      readonly profile: string
      readonly deployment: { readonly product?: string; readonly version?: string; readonly contact?: string }
      readonly target: string
      readonly ceiling: Impact
      /** What was chosen by chance was chosen by it. */
      readonly seed?: number
      /** Unix milliseconds. */
      readonly startedAt: number
      /** The walks that will be made. */
      readonly walks: ReadonlyArray<string>
      /** The rules that were asked about; null for all of them. */
      readonly only: ReadonlyArray<string> | null
    }
  | { readonly type: "exchange"; readonly exchange: Exchange }
  /** What judging the run again takes beside its exchanges. */
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
  /** Nothing could be judged: no answer, or the credentials were refused. */
  | { readonly as: "unreachable"; readonly sentence: string }
