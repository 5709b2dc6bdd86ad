import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"
import { Decide } from "../records/Decide.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { CalendarDay, useToday } from "../widgets/Time.tsx"

const words = { MAY_ENGAGE: "it is about another person", MAY_NOT_ENGAGE: "it is about the worker" } as const

/** What a person has decided about a possible match, and the button that decides, for those who may. */
export const BanDecision = ({ ban, name }: { readonly ban: Item<"GET /bans">; readonly name: string }) => {
  const may = useMay()
  const today = useToday()
  const [isOpen, setIsOpen] = useState(false)
  const { decision, eligibility, id } = ban
  const own = useMe()?.worker
  const bounds = useRead("GET /bans/:id/decidable", { params: { id } }, { isWanted: isOpen })
  if (eligibility !== "REVIEW_REQUIRED" || ban.deletedAt !== undefined) return null
  const isOwn = own != null && own.id === ban.worker.id // nobody decides about themself
  const isDecided = decision !== undefined && decision.endsOn >= today
  const action = isDecided ? "Decide again" : "Decide"
  return (
    <>
      {isDecided ? (
        <p>
          Decided: {words[decision.outcome]}, until <CalendarDay day={decision.endsOn} />. {decision.reason}
        </p>
      ) : null}
      {may("verification:UPDATE") && may("worker:READ") && !isOwn ? (
        <button
          type="button"
          class="small"
          aria-label={`${action} about the possible match of ${name}`}
          onClick={() => setIsOpen(true)}
        >
          {action}
        </button>
      ) : null}
      <Problem error={bounds.error} onRetry={bounds.refetch} />
      {isOpen && bounds.data !== undefined ? (
        <Decide
          list="bans"
          id={id}
          name={`the possible match of ${name}`}
          bounds={bounds.data.data}
          words={words}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </>
  )
}
