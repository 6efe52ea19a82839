"""What calibrated bots say around their facts; none of it states a fact."""

from __future__ import annotations

GREETINGS = (
    "Hi there!", "Hello!", "Hey, nice to meet you.", "Hi, how are you?", "Hello, good to see you.",
    "Hey!", "Good day to you!", "Hi, thanks for stopping by.",
)  # fmt: skip
REACTIONS = (
    "That's nice.", "Oh, interesting.", "I see.", "Sounds good to me.", "Cool!", "Wow, really?",
    "That makes sense.", "How lovely.", "I hear you.", "Ha, that's funny.", "Oh, I understand.",
    "Right.", "Good for you!", "That's great to hear.",
)  # fmt: skip
LEAD_INS = (
    "", "", "", "", "Well, ", "You know, ", "To be honest, ", "Let me tell you something: ",
    "As for me, ", "Actually, ",
)  # fmt: skip
FILLERS = (
    "It's been a long day.", "The weather is a bit strange, isn't it?", "I enjoy our chat.",
    "Time really flies.", "I'm feeling pretty good.", "What a week it has been.",
    "I could talk for hours.", "Anyway, life goes on.", "I was just daydreaming.",
    "How was your day?", "What are you up to?", "Do you have any plans?",
)  # fmt: skip
ANSWER_OPENERS = (
    "", "", "", "", "Good question. ", "Oh, ", "Hmm, let me think. ", "Sure. ", "Well, ",
    "Let me see. ",
)  # fmt: skip
BACK = (
    "And you?",
    "How about you?",
    "What about you?",
    "Why do you ask?",
    "Is it the same for you?",
)
EVASIONS = (
    "Hmm, that's hard to say.", "I'm not sure what you mean.",
    "Ha, let's talk about something else.",
    "I would have to think about that.", "That's a tricky one.", "Could you say that again?",
    "Oh, I don't really know.", "Let me get back to you on that.",
)  # fmt: skip
