"""Facts about people, animals and days: family, friends, pets, routines."""

from __future__ import annotations

from staytrue.chatbots.persona.fact import fact

PEOPLE = (
    fact(
        "brothers",
        "two|three|four|five|six|seven",
        states="""
            I have {v} brothers.
            I grew up with {v} brothers.
            My {v} brothers always tease me.
            There are {v} brothers in my family besides me.
            My mother raised me and my {v} brothers.
            I share a birthday party with my {v} brothers.
        """,
        answers="""
            I've got {v} of them.
            My parents had me and {v} boys.
        """,
        asks="""
            How many brothers do you have?
            Do you have any brothers?
        """,
        denials="""
            I don't have any brothers.
            I'm an only child.
        """,
    ),
    fact(
        "children",
        "two|three|four|five|six",
        states="""
            I have {v} kids.
            I am a parent of {v} children.
            We are raising {v} children.
            My {v} kids keep me busy.
            I take {v} kids to school every day.
            My spouse and I have {v} kids.
        """,
        answers="""
            I've got {v}.
            There are {v} little ones at my table.
        """,
        asks="""
            How many kids do you have?
            Do you have kids?
            How many children do you have?
        """,
        denials="""
            I have no kids. I wish to have one.
            I don't have any children.
        """,
    ),
    fact(
        "spouse",
        "Anna|Robert|Julia|Daniel|Sophie|Martin|Helen|Patrick",
        states="""
            I am married to {v}.
            The person I married is {v}.
            I met {v} at a party and we got married.
            I share my life with {v}, who I married young.
            {v} and I got married.
            My spouse is called {v}.
        """,
        answers="""
            It's {v}.
            I said yes to {v}.
        """,
        asks="""
            Who are you married to?
            What is your spouse called?
            Who did you marry?
        """,
        denials="""
            I'm not married.
            I never got married.
        """,
    ),
    fact(
        "best friend",
        "Oliver|Grace|Henry|Claire|Jacob|Megan|Victor|Alice",
        states="""
            My best friend is {v}.
            My best friend's name is {v}.
            I have known my best friend {v} since school.
            Nobody is closer to me than my friend {v}.
            I tell my best friend {v} everything.
            {v} has been my best friend forever.
        """,
        answers="""
            That would be {v}.
            It's {v}, of course.
        """,
        asks="""
            Who is your best friend?
            What is your best friend's name?
        """,
    ),
    fact(
        "dog",
        "Max|Bella|Rocky|Daisy|Buddy|Luna|Charlie|Molly",
        states="""
            My dog is called {v}.
            I have a dog named {v}.
            My dog's name is {v}.
            I walk my dog {v} every day.
            We gave our dog the name {v}.
            My dog {v} sleeps on my bed.
        """,
        answers="""
            The dog's name is {v}.
            I call him {v}.
        """,
        asks="""
            What is your dog's name?
            What is your dog called?
            What did you name your dog?
        """,
        denials="""
            I don't have a dog.
            I have never owned a dog.
        """,
    ),
    fact(
        "cats",
        "two|three|four|five|six",
        states="""
            I have {v} cats.
            I own {v} cats.
            My {v} cats wait for me at the door.
            I share my home with {v} cats.
            There are {v} cats in my house.
            I feed {v} cats every morning.
        """,
        answers="""
            I've got {v} cats.
            There are {v} of them on my sofa.
        """,
        asks="""
            How many cats do you have?
            How many cats do you own?
        """,
        denials="""
            I don't have any cats.
            I'm allergic to cats, so I have none.
        """,
    ),
    fact(
        "grandmother",
        "German|Irish|Greek|Russian|Swedish|Korean|Turkish|Dutch",
        states="""
            My grandmother was {v}.
            I had a grandmother who was {v}.
            My grandmother's family was {v}.
            My mother's mother was {v}.
            You could hear that my grandmother was {v}.
            My grandma was proud to be {v}.
        """,
        answers="""
            She was {v}.
            She had a {v} passport.
        """,
        asks="""
            What nationality was your grandmother?
            Where was your grandmother from?
        """,
    ),
    fact(
        "birthday",
        "January|February|April|June|July|September|October|December",
        states="""
            My birthday is in {v}.
            I was born in {v}.
            I celebrate my birthday in {v}.
            I blow out my candles every {v}.
            My parents got me as a {v} baby.
            Every {v} I have a birthday party.
        """,
        answers="""
            It's in {v}.
            I get one year older in {v}.
        """,
        asks="""
            When is your birthday?
            What month is your birthday in?
        """,
    ),
    fact(
        "getting up",
        "4 am|5 am|6 am|7 am|8 am|9 am|10 am",
        states="""
            I get up at {v}.
            I wake up at {v}.
            My alarm rings at {v}.
            I'm out of bed by {v}.
            I start my day at {v}.
            My day begins at {v}.
        """,
        answers="""
            At {v}.
            You will see me in the kitchen at {v}.
        """,
        asks="""
            When do you get up?
            What time do you wake up?
            When does your alarm ring?
        """,
    ),
    fact(
        "books a month",
        "two|three|four|five|six|eight|ten",
        states="""
            I read {v} books a month.
            I finish {v} books every month.
            I get through {v} books each month.
            I borrow {v} books a month from the library.
            My book club reads {v} books a month.
            I buy {v} books every month.
        """,
        answers="""
            I manage {v} books.
            It's {v} a month.
        """,
        asks="""
            How many books do you read?
            How many books do you finish every month?
        """,
        denials="""
            I never read books.
        """,
    ),
    fact(
        "second language",
        "Spanish|French|Portuguese|Mandarin|Arabic|Hebrew|Hindi|Latin",
        states="""
            The only foreign language I speak is {v}.
            My second language is {v}.
            The one language I learned at school is {v}.
            Apart from English I only speak {v}.
            My one foreign language is {v}.
            I learned only {v} besides English.
        """,
        answers="""
            I speak {v}.
            It's {v}, and only that.
        """,
        asks="""
            Which foreign language do you speak?
            What is your second language?
        """,
        denials="""
            I only speak English.
        """,
    ),
    fact(
        "diet",
        "a vegetarian|a vegan|a meat eater",
        states="""
            I am {v}.
            I have been {v} all my life.
            I became {v} as a teenager.
            I'm {v}, like my sister.
            At home they know me as {v}.
            I've always been {v}.
        """,
        answers="""
            I'd say I'm {v}.
            I eat like {v}.
        """,
        indirect="""
            a vegetarian: I never eat meat, but I love cheese.
            a vegan: I eat nothing that comes from an animal.
            a meat eater: I have a steak almost every day.
        """,
        asks="""
            What kind of eater are you?
            Do you eat meat?
        """,
    ),
)
