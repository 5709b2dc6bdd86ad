import { useEffect, useState } from "preact/hooks"

/** How long a message stays, in milliseconds. It only repeats what the screen shows, so nobody has to be quick. */
const shownMillis = 8000

let listener: (text: string) => void = () => {}

/** Announces that a change is done, such as "laptop is revoked." */
export const announce = (text: string): void => listener(text)

/** The options of a change that is announced when it is done. */
export const announcing = (text: string, next: () => void) => ({
  onSuccess: () => {
    announce(text)
    next()
  }
})

/** The last message, in a corner of the screen. Screen readers read it aloud. */
export const Announcement = () => {
  const [message, setMessage] = useState({ text: "" })
  useEffect(() => {
    listener = (text) => setMessage({ text })
    return () => {
      listener = () => {}
    }
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => setMessage({ text: "" }), shownMillis)
    return () => clearTimeout(timer)
  }, [message])
  return (
    <p class={message.text === "" ? "unseen" : "announcement"} role="status">
      {message.text}
    </p>
  )
}
