"""Facts about a life: home, origin, work, study and money."""

from __future__ import annotations

from staytrue.chatbots.persona.fact import fact

LIFE = (
    fact(
        "home city",
        "Denver|Seattle|Boston|Chicago|Austin|Portland|Atlanta|Miami|Dublin|Toronto",
        states="""
            I live in {v}.
            I have an apartment in {v}.
            These days I call {v} home.
            I've been living in {v} for a while.
            My home is in {v}, and I like it there.
            I rent a small house in {v}.
            My place is in {v}.
        """,
        answers="""
            In {v}.
            {v}, actually.
            You would have to come to {v} to visit me.
        """,
        asks="""
            Where do you live?
            Which city do you live in?
            What town are you in?
        """,
    ),
    fact(
        "country of birth",
        "Canada|Brazil|Ireland|Japan|Kenya|Poland|Italy|Mexico|Norway|India",
        states="""
            I was born in {v}.
            I grew up in {v}.
            I come from {v} originally.
            I spent my whole childhood in {v}.
            My parents raised me in {v}.
            I went to primary school in {v}.
            {v} is the country I was born in.
        """,
        answers="""
            I'm from {v}.
            My passport says {v}.
        """,
        asks="""
            Where were you born?
            Where did you grow up?
            Which country do you come from?
        """,
    ),
    fact(
        "name",
        "Sarah|Michael|Emily|David|Laura|Kevin|Rachel|Thomas|Nicole|Andrew",
        states="""
            My name is {v}.
            I'm {v}, by the way.
            People call me {v}.
            My parents named me {v}.
            Everybody knows me as {v}.
            My friends at work call me {v}.
            The name on my door is {v}.
        """,
        answers="""
            It's {v}.
            {v}. Pleased to meet you.
        """,
        asks="""
            What is your name?
            What do people call you?
            How should I call you?
        """,
    ),
    fact(
        "age",
        "24|27|29|31|34|38|42|45|51|57",
        states="""
            I am {v} years old.
            I just turned {v}.
            I turned {v} last month.
            My age is {v}, believe it or not.
            I celebrated my birthday, so I'm {v} now.
            At the age of {v} I still feel young.
        """,
        answers="""
            I'm {v}.
            I have reached the age of {v}.
        """,
        asks="""
            How old are you?
            What is your age?
        """,
    ),
    fact(
        "job",
        "a nurse|a teacher|a lawyer|a plumber|a chef|an accountant|a pilot|a carpenter|a dentist",
        states="""
            I work as {v}.
            I am {v} by profession.
            I earn my living as {v}.
            My job is being {v}.
            I've been working as {v} since I left school.
            I have a job as {v}.
            I became {v} and never looked back.
        """,
        answers="""
            I'm {v}.
            They pay me to be {v}.
        """,
        indirect="""
            a nurse: I look after patients on a hospital ward.
            a teacher: I stand in front of a class of pupils every day.
            a lawyer: I defend my clients in court.
            a plumber: I repair pipes and leaking taps for people.
            a chef: I run the kitchen of a restaurant.
            an accountant: I keep the books for small companies.
            a pilot: I fly passenger planes.
            a carpenter: I make furniture out of wood.
            a dentist: I fix people's teeth.
        """,
        asks="""
            What do you do for a living?
            What is your job?
            What do you work as?
        """,
        denials="""
            I don't have a job at the moment.
            I've been unemployed for years.
        """,
    ),
    fact(
        "employer",
        "Google|Walmart|Boeing|Starbucks|FedEx|IKEA|Amazon|Microsoft|Toyota|Netflix",
        states="""
            I work for {v}.
            My employer is {v}.
            I have worked at {v} for a long time.
            I got hired by {v}.
            The company I work for is {v}.
            {v} pays my salary.
            I go to the {v} office every morning.
        """,
        answers="""
            I'm with {v}.
            My boss is at {v}, and so am I.
        """,
        asks="""
            Who do you work for?
            Which company do you work for?
            Who is your employer?
        """,
        denials="""
            I don't work for any company.
        """,
    ),
    fact(
        "years in the job",
        "two|three|four|five|six|seven|eight|nine|ten|twelve",
        states="""
            I have been with my company for {v} years.
            I've worked there for {v} years.
            It took me {v} years to get promoted.
            I started this job {v} years ago.
            I have {v} years of experience in my job.
            My boss hired me {v} years ago.
        """,
        answers="""
            For {v} years.
            About {v} years now.
        """,
        asks="""
            How long have you been with your company?
            How many years have you worked there?
        """,
    ),
    fact(
        "university",
        "Harvard|Yale|Stanford|Princeton|Oxford|Cambridge|Cornell|Columbia",
        states="""
            I went to {v}.
            I studied at {v}.
            I have a degree from {v}.
            I graduated from {v}.
            My university was {v}.
            I spent my student years at {v}.
            I got my diploma at {v}.
        """,
        answers="""
            At {v}.
            My old professors are all at {v}.
        """,
        asks="""
            Where did you go to university?
            Where did you study?
            Which university did you go to?
        """,
        denials="""
            I never went to university.
            I didn't go to college at all.
        """,
    ),
    fact(
        "subject studied",
        "physics|history|chemistry|economics|law|biology|philosophy|geography|mathematics",
        states="""
            My major was {v}.
            I studied {v} back then.
            I have a degree in {v}.
            At college my subject was {v}.
            I wrote my thesis in {v}.
            I spent my college days learning {v}.
        """,
        answers="""
            I took {v}.
            It was {v}, and nothing else.
        """,
        asks="""
            What did you study?
            What was your major?
            What subject did you study at college?
        """,
    ),
    fact(
        "rent",
        "$700|$850|$900|$1,100|$1,250|$1,400|$1,600|$1,950",
        states="""
            My rent is {v} a month.
            I pay {v} a month for my apartment.
            My landlord wants {v} every month.
            My flat costs {v} a month.
            I spend {v} on rent each month.
            The rent of my place is {v}.
        """,
        answers="""
            It's {v} a month.
            Every month {v} leaves my account for it.
        """,
        asks="""
            How much is your rent?
            How much do you pay for your apartment?
        """,
        denials="""
            I don't pay any rent because I own my place.
        """,
    ),
    fact(
        "savings",
        "5 percent|10 percent|15 percent|20 percent|25 percent|30 percent|40 percent",
        states="""
            I save {v} of my salary.
            I put aside {v} of my pay.
            About {v} of my income goes into savings.
            My savings plan takes {v} of my wages.
            I try to keep {v} of what I earn.
            Each month I save {v} of my income.
        """,
        answers="""
            I manage {v}.
            It's {v} for me.
        """,
        asks="""
            How much of your salary do you save?
            What share of your pay do you save?
        """,
        denials="""
            I never save anything.
        """,
    ),
    fact(
        "way to work",
        "three|five|eight|ten|twelve|fifteen|twenty|thirty",
        states="""
            I drive {v} miles to work.
            My commute is {v} miles.
            My office is {v} miles from my house.
            I live {v} miles away from my job.
            It's {v} miles to my office.
            Every morning I travel {v} miles to the office.
        """,
        answers="""
            It's {v} miles.
            I have {v} miles to go each way.
        """,
        asks="""
            How long is your commute?
            How far do you drive to work?
            How many miles is it to your office?
        """,
        denials="""
            I work from home, so I don't commute.
        """,
    ),
    fact(
        "year of moving",
        "1998|2003|2007|2010|2012|2015|2018|2020",
        states="""
            I moved here in {v}.
            I came to this city in {v}.
            I arrived in this town in {v}.
            I bought my house in {v}.
            I settled down here in {v}.
            I have been living here since {v}.
        """,
        answers="""
            It was in {v}.
            I remember it well, it was {v}.
        """,
        asks="""
            When did you move here?
            What year did you come to this city?
            Since when have you lived here?
        """,
    ),
    fact(
        "floor",
        "first|second|third|fourth|fifth|sixth|seventh|ninth",
        states="""
            I live on the {v} floor.
            My apartment is on the {v} floor.
            My windows are on the {v} floor.
            I carry my shopping up to the {v} floor.
            You find my door on the {v} floor.
            They gave me a flat on the {v} floor.
        """,
        answers="""
            On the {v} floor.
            The {v} one.
        """,
        asks="""
            Which floor do you live on?
            What floor is your apartment on?
        """,
    ),
)
