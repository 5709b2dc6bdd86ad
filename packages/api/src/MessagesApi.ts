import { Message, MessageFields } from "@wcs/domain/message/Message"
import { MessageSettings, MessageSettingsDocument } from "@wcs/domain/message/MessageSettings"
import { MessagePreview, MessageSample, OwnMessages, OwnMessagesDocument } from "@wcs/domain/message/Outbox"
import { RenderedDocument } from "@wcs/domain/message/Template"
import { MessageId } from "@wcs/domain/shared/Id"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documentOf, Many, One, ResourceId } from "./Envelope.ts"
import { GuardOf, guard, judgedWithin } from "./Guard.ts"
import { listParameters, parameter, sortOf } from "./ListParameters.ts"
import { TableOf } from "./ListTable.ts"
import { messageTable } from "./ListTables.ts"
import { guarded } from "./Middleware.ts"
import { ResourceOf } from "./ResourceOf.ts"
import { comparesTag, TagsOf, type TagUse } from "./TagsOf.ts"
import { everyBody, everyCall, everyComparison, wireErrors } from "./WireError.ts"

const MessageDocument = documentOf("message", MessageId, MessageFields.fields).annotate({ identifier: "Message" })
const Settings = MessageSettings.annotate({ identifier: "MessageSettingsWrite" })
const SettingsDocument = MessageSettingsDocument.annotate({ identifier: "MessageSettings" })
const Own = OwnMessagesDocument.annotate({ identifier: "OwnMessages" })

/** The answers show more than the tag covers. */
const shown: TagUse = { isShown: true, isCompared: false, isWhole: false }

/** `/messages`: e-mails to users, workers and applicants, `/message-settings` and `/me/messages` (DECISIONS.md#messages). */
export class MessagesApi extends guarded(
  HttpApiGroup.make("messages").add(
    HttpApiEndpoint.get("list", "/messages", {
      query: {
        ...listParameters,
        sort: sortOf(Message),
        kind: parameter("Exact match on the kind."),
        state: parameter("Exact match on the state."),
        recipientId: parameter("Messages to the user, worker or applicant with this id."),
        aboutId: parameter("Messages about the card or request with this id.")
      },
      success: Many(MessageDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, messageTable)
      .annotate(OpenApi.Description, "Messages are kept for 90 days after their end. Their text is not kept.")
      .annotate(GuardOf, guard("message", "READ"))
      .annotate(ResourceOf, Message),
    HttpApiEndpoint.post("resend", "/messages/:id/resend", {
      params: ResourceId,
      success: One(MessageDocument),
      error: [wireErrors.UNPROCESSABLE, wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Send a message again")
      .annotate(
        OpenApi.Description,
        "For a message that is `REFUSED`, `EXHAUSTED`, `NO_ADDRESS` or `UNKNOWN`. An `UNKNOWN` message may then arrive twice, with the same " +
          "`Message-ID`. The text is written anew."
      )
      .annotate(GuardOf, guard("message", "UPDATE")),
    HttpApiEndpoint.get("settings", "/message-settings", {
      success: One(SettingsDocument),
      error: [...everyComparison, ...everyCall]
    })
      .annotate(TagsOf, shown)
      .annotate(OpenApi.Summary, "Read the settings of messages")
      .annotate(GuardOf, guard("message", "READ")),
    HttpApiEndpoint.put("setSettings", "/message-settings", {
      payload: Settings,
      success: One(SettingsDocument),
      error: [wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Change the settings of messages")
      .annotate(OpenApi.Description, "Replaces all settings. The first messages follow on the day after the switch.")
      .annotate(GuardOf, guard("message", "UPDATE")),
    HttpApiEndpoint.post("preview", "/message-settings/preview", {
      payload: MessagePreview.annotate({ identifier: "MessagePreview" }),
      success: One(RenderedDocument.annotate({ identifier: "RenderedMessage" })),
      error: [...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Preview a message")
      .annotate(OpenApi.Description, "Fills a template with a sample. Sends nothing.")
      .annotate(GuardOf, guard("message", "UPDATE")),
    HttpApiEndpoint.post("sample", "/message-settings/sample", {
      payload: MessageSample.annotate({ identifier: "MessageSample" }),
      success: One(MessageDocument),
      error: [...everyBody, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Send a sample to yourself")
      .annotate(OpenApi.Description, "Works while the messages of the tenant are disabled. At most 20 messages a day.")
      .annotate(GuardOf, guard("message", "UPDATE")),
    HttpApiEndpoint.get("own", "/me/messages", {
      success: One(Own),
      error: [...everyComparison, ...everyCall]
    })
      .annotate(TagsOf, shown)
      .annotate(OpenApi.Summary, "Read which messages you receive")
      .annotate(GuardOf, judgedWithin),
    HttpApiEndpoint.put("setOwn", "/me/messages", {
      payload: OwnMessages.annotate({ identifier: "OwnMessagesWrite" }),
      success: One(Own),
      error: [wireErrors.PRECONDITION_FAILED, ...everyBody, ...everyCall]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Choose which messages you receive")
      .annotate(GuardOf, judgedWithin)
  )
) {}
