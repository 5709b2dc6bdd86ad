import { nameOf, type PrivilegeName, type Privileges } from "../access/Privilege.ts"
import { Credential } from "../holding/Credential.ts"
import { Worker } from "../people/Worker.ts"
import { type derivedAnswers, readsOf } from "../resource/DerivedAnswer.ts"
import type { Complying, Condition } from "../resource/ListQuery.ts"
import type { Resource } from "../resource/Resource.ts"
import { Task } from "../screening/Task.ts"
import { ofPeople } from "../screening/Tasks.ts"
import { dayAfter } from "../shared/Instant.ts"
import { Webhook } from "../webhook/Webhook.ts"
import { type DigestPart, digestPartNames } from "./MessageKind.ts"
import { counted, type Words } from "./Words.ts"

interface Part {
  readonly resource: Resource
  /** The reader needs all of them; otherwise the digest leaves the part out. */
  readonly needs: ReadonlyArray<PrivilegeName>
  readonly conditions: (today: string, privileges: Privileges) => ReadonlyArray<Condition>
  readonly complying?: Complying
}

const reads = (answer: keyof typeof derivedAnswers): ReadonlyArray<PrivilegeName> => readsOf(answer).map(nameOf)

/** The days before the end of a card in which a digest counts it. */
const lapsingDays = 30

/** The parts of a digest besides mentions: each is the number of rows of a list that the reader may read. */
export const digestParts: Readonly<Record<Exclude<DigestPart, "mentions">, Part>> = {
  notCompliant: {
    resource: Worker,
    needs: reads("evaluationWithExemptions"),
    conditions: () => [],
    complying: { _tag: "Kept", result: "FAIL", except: [] }
  },
  lapsing: {
    resource: Credential,
    needs: ["credential:READ"],
    conditions: (today) => [
      { _tag: "From", column: "expiry_date", value: today },
      { _tag: "Before", column: "expiry_date", value: dayAfter(today, lapsingDays + 1) }
    ]
  },
  tasks: {
    resource: Task,
    needs: ["task:READ", ...reads("cardTasks")],
    conditions: (_, privileges) => ofPeople(privileges)
  },
  sources: {
    resource: Task,
    needs: ["task:READ", ...reads("sourceTasks")],
    conditions: () => [{ _tag: "Equal", column: "reason", value: "SOURCE_FAILED" }]
  },
  webhooks: {
    resource: Webhook,
    needs: ["webhook:READ"],
    conditions: () => [{ _tag: "Equal", column: "status", value: "AUTO_DISABLED" }]
  }
}

/** How many rows a part has, and the day of the oldest one. */
export interface Figure {
  readonly count: number
  readonly oldest: string
}

/** The figures of a digest. A part that the reader may not read is absent. */
export type Figures = Readonly<Partial<Record<DigestPart, Figure>>>

/** Returns the lines of a digest: the parts that have something. */
export const linesOf = (figures: Figures, { parts }: Words): ReadonlyArray<string> =>
  digestPartNames.flatMap((part) => {
    const { count, oldest } = figures[part] ?? { count: 0, oldest: "" }
    return count === 0 ? [] : [counted(parts[part], count).replaceAll("{oldest}", oldest)]
  })
