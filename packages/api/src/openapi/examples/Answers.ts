import { shown as credentialTypes } from "@wcs/domain/holding/CredentialType"
import type { JsonValue } from "@wcs/domain/shared/Json"
import { access } from "./answers/Access.ts"
import { credentials, documents } from "./answers/Credentials.ts"
import { legacy } from "./answers/Legacy.ts"
import { messages } from "./answers/Messages.ts"
import { notes, people, tasks, units } from "./answers/People.ts"
import { screening } from "./answers/Screening.ts"
import { answerFiles, requestAnswers } from "./answers/ScreeningRequests.ts"
import { answer } from "./answers/Shapes.ts"
import { events, webhooks } from "./answers/Webhooks.ts"

/** The answers to the requests of the examples, and the events that they cause. A test compares them with a server's. */
export const answers: Readonly<Record<string, JsonValue>> = {
  "credentialTypes.list": answer(credentialTypes.map((type) => ({ ...type }))),
  ...people,
  ...credentials,
  ...tasks,
  ...documents,
  ...notes,
  ...messages,
  ...requestAnswers,
  ...answerFiles,
  ...units,
  ...screening,
  ...webhooks,
  ...access,
  ...legacy,
  ...events
}
