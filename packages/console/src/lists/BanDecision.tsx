import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { Decide } from "../records/Decide.tsx"
import { CalendarDay, useToday } from "../widgets/Time.tsx"

const words = { MAY_ENGAGE: "it is about another person", MAY_NOT_ENGAGE: "it is about the worker" } as const

const bounds = { outcomes: ["MAY_ENGAGE", "MAY_NOT_ENGAGE"], until: null } as const

/** What a person has decided about a possible match, and the button that decides, for those who may. */
export const BanDecision = ({ ban, name }: { readonly ban: Item<"GET /bans">; readonly name: string }) => {
  const may = useMay()
  const today = useToday()
  const [isOpen, setIsOpen] = useState(false)
  const { decision, eligibility, id } = ban
  if (eligibility !== "REVIEW_REQUIRED") return null
  const isDecided = decision !== undefined && decision.endsOn >= today
  return (
    <>
      {isDecided ? (
        <p>
          Decided: {words[decision.outcome]}, until <CalendarDay day={decision.endsOn} />. {decision.reason}
        </p>
      ) : null}
      {may("verification:UPDATE") && may("worker:READ") ? (
        <button
          type="button"
          class="small"
          aria-label={`Decide about the possible match of ${name}`}
          onClick={() => setIsOpen(true)}
        >
          {isDecided ? "Decide again" : "Decide"}
        </button>
      ) : null}
      {isOpen ? (
        <Decide
          list="bans"
          id={id}
          name={`the possible match of ${name}`}
          bounds={bounds}
          words={words}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}
