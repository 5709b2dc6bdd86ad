import type { Item } from "../calls/Contract.ts"
import { Badge, type Tone } from "../widgets/Badge.tsx"

export type Schedule = Item<"GET /monitoring">

const looks: { readonly [One in Schedule["state"]]: readonly [sign: string, words: string, tone: Tone] } = {
  NEW: ["○", "begins soon", "plain"],
  ON_TIME: ["✓", "on time", "good"],
  LATE: ["!", "late", "bad"],
  PAUSED: ["‖", "paused", "wait"]
}

/** How the scheduled verifications of a register go, and why cards wait. */
export const ScheduleState = ({ schedule }: { readonly schedule: Schedule | undefined }) => {
  if (schedule === undefined) return <span class="quiet">only when somebody asks</span>
  const [sign, words, tone] = looks[schedule.state]
  return (
    <>
      <Badge sign={sign} words={words} tone={tone} />
      {schedule.message === null ? null : <> {schedule.message}</>}
      {schedule.state === "LATE" || schedule.running > 0 ? (
        <span class="quiet">
          {" "}
          {schedule.due} due, {schedule.running} running
        </span>
      ) : null}
    </>
  )
}
