import { Result, Schema } from "effect"
import { type PersonalKind, personalChoices } from "../event/MessageDraft.ts"
import { enumeration } from "../resource/Enumeration.ts"
import { typeField } from "../resource/ShownFields.ts"
import { endOfDay, type Moment } from "../shared/CalendarDay.ts"
import { dayAfter } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import { type LanguageTag, languages, languageTags } from "./Language.ts"
import {
  type MessageKind,
  meanings,
  messageKinds,
  type OfficerKind,
  officerKindNames,
  officerKinds,
  placeholders,
  placeholdersOf
} from "./MessageKind.ts"
import { requireKnown, Template } from "./Template.ts"

/** From Sunday, as in `Date.getUTCDay`. */
export const weekdays = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"] as const

/** A schema for each kind, with what it is about. */
const byKind = <S extends Schema.Top>(schema: S, what: string) =>
  Schema.Struct(
    Object.fromEntries(
      messageKinds.map((kind) => [kind, schema.annotateKey({ description: `${what}: ${meanings[kind]}.` })])
    ) as Record<MessageKind, S>
  )

/** For how long an answer that is not kept stays after the end of its request, in days. */
export const answerDays = { least: 30, most: 3650, standard: 365 }

const wordsAbout = "Words about"
const StandardTemplates = byKind(Template, wordsAbout).annotate({ identifier: "StandardTemplates" })

const reminderDaysMax = 30

const timeForm = /^([01]\d|2[0-3]):[0-5]\d$/u

/** What a tenant has chosen about its messages. */
export const MessageSettings = Schema.Struct({
  enabled: Schema.Boolean.annotateKey({
    description:
      "Whether messages are sent. False at first. It cannot be true while the deployment sends no messages: 400."
  }),
  timeOfDay: Schema.String.check(
    Schema.isPattern(timeForm, { message: "must be a time of day, such as 07:00" })
  ).annotateKey({ description: "Time of day from which messages are sent, `HH:MM`, in the time zone of the tenant." }),
  weekday: enumeration("Weekday", weekdays).annotateKey({ description: "Day of the weekly digest." }),
  language: enumeration("MessageLanguage", languageTags).annotateKey({ description: "Language of all messages." }),
  tellsOfCards: Schema.Boolean.annotateKey({
    description: "Whether workers and applicants are told of their own cards that end. False at first."
  }),
  tellsOfRequests: Schema.Boolean.annotateKey({
    description:
      "Whether workers and applicants are asked, reminded and told of the decision by e-mail when a fetch request or a " +
      "recruitment check is made, sent again, reminded of or decided. False at first."
  }),
  reminderDays: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: reminderDaysMax })).annotate({
      description:
        "How many days before the last day of a fetch request or a recruitment check its person is reminded by e-mail, once, " +
        "if nobody was told of it in these days, and not in the first half of its days. Needs `tellsOfRequests`. Absent: only when a user asks for a reminder.",
      valueFormat: `a whole number from 1 to ${reminderDaysMax}`
    })
  ),
  privacyContact: Schema.optionalKey(line(300)).annotateKey({
    description:
      "How people reach the organization about their data, and where its privacy policy is. The page on which they answer " +
      "shows it in its notice."
  }),
  answerRetentionDays: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: answerDays.least, maximum: answerDays.most })))
  ).annotateKey({
    description:
      `Days after the end of a request until its answer is erased, ${answerDays.standard} if null. A PUT without it leaves it as it is. It is about the answer of an applicant who ` +
      "was not engaged, and one that nobody has approved. The links of the request end then, too.",
    valueFormat: `null or a whole number from ${answerDays.least} to ${answerDays.most}`
  }),
  templates: byKind(Schema.optionalKey(Template), wordsAbout).annotateKey({
    description: "The tenant's own words by kind. A kind without them has those of the language."
  })
})
export type MessageSettings = typeof MessageSettings.Type

/** The settings of a tenant that has chosen nothing. */
export const defaultSettings: MessageSettings = {
  enabled: false,
  timeOfDay: "07:00",
  weekday: "MONDAY",
  language: "en",
  tellsOfCards: false,
  tellsOfRequests: false,
  templates: {}
}

/** The days of `answerRetentionDays`. */
export const answerDaysOf = ({ answerRetentionDays }: Pick<MessageSettings, "answerRetentionDays">): number =>
  answerRetentionDays ?? answerDays.standard

/** The settings on the wire. */
export const MessageSettingsDocument = Schema.Struct({
  type: typeField("messageSettings"),
  ...MessageSettings.fields,
  isAvailable: Schema.Boolean.annotateKey({
    description: "Whether the deployment sends messages. The operator decides it."
  }),
  standardTemplates: Schema.Struct(
    Object.fromEntries(
      languageTags.map((tag) => [
        tag,
        StandardTemplates.annotateKey({ description: `The words in \`${tag}\`, by kind.` })
      ])
    ) as Record<LanguageTag, typeof StandardTemplates>
  ).annotateKey({ description: "The words of each language." }),
  placeholders: byKind(Schema.Array(Schema.Literals(placeholders)), "Placeholders of words about").annotateKey({
    description: "The names of the placeholders that a template of each kind can have."
  })
})
export type MessageSettingsDocument = typeof MessageSettingsDocument.Type

export const shownSettings = (settings: MessageSettings, isAvailable: boolean): MessageSettingsDocument => ({
  type: "messageSettings",
  ...settings,
  isAvailable,
  standardTemplates: Object.fromEntries(
    languageTags.map((tag) => [tag, languages[tag].templates])
  ) as MessageSettingsDocument["standardTemplates"],
  placeholders: placeholdersOf
})

/** The settings to store. A client that does not know the term of answers must not shorten it. */
export const withTerm = (given: MessageSettings, { answerRetentionDays }: MessageSettings): MessageSettings =>
  given.answerRetentionDays === undefined && answerRetentionDays !== undefined
    ? { ...given, answerRetentionDays }
    : given

/** Fails if the settings cannot hold: an unknown placeholder, or messages that nothing would send. */
export const requireSettings = (
  settings: MessageSettings,
  isAvailable: boolean
): Result.Result<MessageSettings, InvalidArgument> => {
  if (settings.enabled && !isAvailable) {
    const reason = "must be false: the operator has not set up messages for this deployment"
    return Result.fail(new InvalidArgument({ field: "enabled", reason }))
  }
  const templates = messageKinds.flatMap((kind) => {
    const template = settings.templates[kind]
    return template === undefined ? [] : [requireKnown(`templates.${kind}`, kind, template)]
  })
  return Result.map(Result.all(templates), () => settings)
}

/** Returns the words of a kind. */
export const templateOf = (
  { language, templates }: { readonly language: LanguageTag; readonly templates: MessageSettings["templates"] },
  kind: MessageKind
): Template => templates[kind] ?? languages[language].templates[kind]

/** Whether a tenant sends messages of a kind to workers and applicants. */
export const isChosen = (
  settings: Pick<MessageSettings, "enabled" | "tellsOfCards" | "tellsOfRequests">,
  kind: PersonalKind
): boolean => settings.enabled && settings[personalChoices[kind]]

/** A round of messages of a tenant: the kinds that are due, each with its cause. */
export interface Round {
  readonly day: string
  readonly causes: ReadonlyArray<{ readonly kind: OfficerKind; readonly cause: string }>
}

/** The last day up to `today` that is this weekday. */
const lastWeekday = (today: string, weekday: MessageSettings["weekday"]): string => {
  const since = (new Date(`${today}T00:00:00Z`).getUTCDay() - weekdays.indexOf(weekday) + 7) % 7
  return dayAfter(today, -since)
}

/** The instant of a time of day. A change of the clocks moves it by the change at most. */
export const timeOn = (day: string, timeOfDay: string, timeZone: string): number =>
  endOfDay(dayAfter(day, -1), timeZone) + 1 + (Number(timeOfDay.slice(0, 2)) * 60 + Number(timeOfDay.slice(3))) * 60_000

/**
 * The round that is due; undefined if none is: that of the newest day whose time has passed. `lastDay` is the day of the last
 * one, or of the switch. A digest that was missed on its weekday is made up for, once.
 */
export const roundOf = (
  settings: MessageSettings,
  lastDay: string,
  { now, today }: Moment,
  timeZone: string
): Round | undefined => {
  const day = now < timeOn(today, settings.timeOfDay, timeZone) ? dayAfter(today, -1) : today
  if (!settings.enabled || day <= lastDay) return undefined
  const weekday = lastWeekday(day, settings.weekday)
  const causes = officerKindNames.flatMap((kind) => {
    if (officerKinds[kind].rhythm === "daily") return [{ kind, cause: day }]
    return weekday > lastDay ? [{ kind, cause: weekday }] : []
  })
  return { day, causes }
}
