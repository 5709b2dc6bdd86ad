import type { Words } from "../Words.ts"

const footer =
  "You receive this message because you look after credentials at {organization}. You can turn it off on the page My security:\n{link}"

export const english: Words = {
  templates: {
    WEEKLY_DIGEST: {
      subject: "{organization}: open work on {date}",
      text: `On {date} this is open at {organization}:\n\n{items}\n\n${footer}`
    },
    RED_TODAY: {
      subject: "{organization}: people who may no longer work: {count}",
      text: `These people at {organization} passed all compliance checks before, and fail one now:\n\n{items}\n\n${footer}`
    }
  },
  parts: {
    notCompliant: { one: "1 person fails a compliance check.", other: "{count} people fail a compliance check." },
    lapsing: { one: "1 card lapses within 30 days.", other: "{count} cards lapse within 30 days." },
    tasks: { one: "1 task is open, since {oldest}.", other: "{count} tasks are open, the oldest since {oldest}." },
    sources: { one: "1 verification source fails.", other: "{count} verification sources fail." },
    webhooks: {
      one: "1 webhook was disabled after failures.",
      other: "{count} webhooks were disabled after failures."
    },
    mentions: { one: "1 note mentions you, of {oldest}.", other: "{count} notes mention you, the first of {oldest}." }
  },
  more: { one: "and 1 more", other: "and {count} more" },
  somebody: "Jane Example"
}
