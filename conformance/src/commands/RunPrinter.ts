import { Effect } from "effect"
import type { Event } from "../evidence/Event.ts"
import * as Progress from "../formats/Progress.ts"
import { terminal } from "../formats/Terminal.ts"
import type { Report } from "../report/Report.ts"
import { calledAs } from "./CalledAs.ts"

/** How a run is shown at a terminal. */
export interface PrinterOptions {
  readonly isTty: boolean
  readonly noColor: boolean
  /** Print only the headline. */
  readonly quiet: boolean
  /** Also list the rules that were not judged. */
  readonly lists?: boolean
  readonly baselined?: ReadonlySet<string>
}

/** Prints progress and the final report to standard output. */
export const printerOf = ({ baselined = new Set(), isTty, lists = false, noColor, quiet }: PrinterOptions) => {
  const color = isTty && !noColor && process.env["NO_COLOR"] === undefined
  let progress = Progress.begin
  const begun = performance.now()
  const seconds = () => Math.round((performance.now() - begun) / 1000)
  let isEnded = false
  const columns = () => process.stdout.columns
  const tick = Effect.sync(() => !isEnded && process.stdout.write(Progress.lineAfter(progress, seconds(), columns())))
  return {
    print: (event: Event): void => {
      if (quiet) return
      const followed = Progress.follow(progress, event, { isTty, color, columns: columns(), baselined }, seconds())
      progress = followed.progress
      isEnded = event.type === "run-ended"
      process.stdout.write(followed.text)
    },
    /** Shows every second that the run goes on, also while it waits. */
    ticking: isTty && !quiet ? Effect.forever(Effect.andThen(Effect.sleep("1 second"), tick)) : Effect.never,
    conclude: (report: Report, folder: string): void => {
      process.stdout.write(
        quiet
          ? `${report.headline}\n`
          : terminal(report, { color, folder, columns: columns(), command: calledAs(process.env), lists })
      )
    }
  }
}
