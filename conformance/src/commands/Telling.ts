import type { Event } from "../engine/Event.ts"
import * as Progress from "../report/Progress.ts"
import type { Report } from "../report/Report.ts"
import { terminal } from "../report/Terminal.ts"

/** How a run is shown at a terminal. */
export interface Manner {
  readonly isTty: boolean
  readonly noColor: boolean
  /** Print only the headline. */
  readonly quiet: boolean
  readonly baselined?: ReadonlySet<string>
}

/** Prints progress and the final report to standard output. */
export const tellerOf = ({ baselined = new Set(), isTty, noColor, quiet }: Manner) => {
  const color = isTty && !noColor && process.env["NO_COLOR"] === undefined
  let progress = Progress.begin
  return {
    tell: (event: Event): void => {
      if (quiet) return
      const followed = Progress.follow(progress, event, { isTty, color, baselined })
      progress = followed.progress
      process.stdout.write(followed.text)
    },
    conclude: (report: Report, folder: string): void => {
      process.stdout.write(quiet ? `${report.headline}\n` : terminal(report, { color, folder }))
    }
  }
}
