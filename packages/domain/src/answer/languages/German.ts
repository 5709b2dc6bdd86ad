import type { NoticeWords } from "../NoticeWords.ts"

const daysText = (days: number): string => (days === 1 ? "1 Tag" : `${days} Tage`)

export const german: NoticeWords = {
  version: "2026-12",
  purpose: (organization) =>
    `${organization} fragt nach diesen Angaben, um zu prüfen, ob Sie die Arbeit oder das Ehrenamt ausüben dürfen, für die Sie tätig oder vorgesehen sind. Gesetze zum Schutz von Kindern und von Menschen in Pflege verlangen solche Prüfungen.`,
  recipients: (organization) =>
    `Die Stelle, die einen Nachweis ausgestellt hat, bekommt dessen Angaben und sagt, ob er gültig ist. Bei ${organization} sehen die Personen Ihre Angaben, die für diese Prüfungen zuständig sind. Sie werden für nichts anderes verwendet.`,
  keptOfWorker: (organization, years, days) => {
    const accepted =
      years === undefined
        ? `${organization} bewahrt angenommene Angaben so lange auf, wie sie für diese Prüfungen nötig sind oder ein Gesetz es verlangt.`
        : `${organization} bewahrt angenommene Angaben auf, bis seit Ihrem Ausscheiden ${years} ${years === 1 ? "Jahr" : "Jahre"} vergangen sind. Dann werden sie gelöscht.`
    return `${accepted} Was Sie hier eingeben, wird ${daysText(days)} nach dem Ende dieser Anfrage gelöscht, wenn ${organization} es nicht annimmt.`
  },
  keptOfApplicant: (organization, days) =>
    `Was Sie hier eingeben, wird ${daysText(days)} nach dem Ende dieser Anfrage gelöscht, wenn Sie die Stelle nicht antreten. Angenommene Nachweise bewahrt ${organization} so lange auf, wie sie für diese Prüfungen nötig sind oder ein Gesetz es verlangt.`,
  choice: (organization) =>
    `Sie müssen diese Seite nicht benutzen: Sie können ${organization} die Angaben auch anders geben. Ohne die Angaben kann ${organization} Sie vielleicht nicht beschäftigen. Über Ihre Antwort entscheidet ein Mensch, nicht allein ein Programm.`,
  rights: (organization, contact) => {
    const how =
      contact === undefined
        ? "Fragen Sie die Person, die Ihnen den Link geschickt hat."
        : `So erreichen Sie ${organization} dazu: ${contact}`
    return `Sie können von ${organization} verlangen, Ihnen zu zeigen, was über Sie gespeichert ist, es zu berichtigen oder zu löschen. Ihre Einwilligung können Sie jederzeit widerrufen; was vorher geschah, bleibt rechtmäßig. ${how}`
  },
  complaint: (organization) =>
    `Wenn Sie mit dem Umgang mit Ihren Angaben nicht einverstanden sind, sagen Sie es zuerst ${organization}. Sie können sich auch beim Office of the Australian Information Commissioner (oaic.gov.au) beschweren, in Europa bei der Datenschutzbehörde Ihres Landes.`,
  consent: (organization) =>
    `Ich bin einverstanden, dass ${organization} die Angaben speichert, die ich hier eingebe, die ausstellenden Stellen nach meinen Nachweisen fragt und deren Antworten aufbewahrt.`
}
