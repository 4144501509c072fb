/** Shows a notification. Some phones offer the API and still refuse to construct one. */
export const notify = (title: string, options: NotificationOptions): Notification | undefined => {
  try {
    return new Notification(title, options);
  } catch {
    // These phones need a service worker. The number in the title and the list still show what happened.
    return undefined;
  }
};
