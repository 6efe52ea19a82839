"""Facts about tastes: what a bot likes best, plays, drives, watches and dreams of."""

from __future__ import annotations

from staytrue.chatbots.persona.fact import fact

TASTES = (
    fact(
        "favorite color",
        "blue|red|green|yellow|purple|orange|black|pink",
        states="""
            My favorite color is {v}.
            The color I like best is {v}.
            I like {v} more than any other color.
            I painted all my walls {v}, my favorite color.
            I wear {v} because it is my favorite color.
            {v} is my favorite color.
        """,
        answers="""
            It's {v}.
            No color beats {v} for me.
        """,
        asks="""
            What is your favorite color?
            Which color do you like best?
        """,
    ),
    fact(
        "favorite food",
        "pizza|sushi|lasagna|curry|tacos|ramen|pancakes|roast chicken",
        states="""
            My favorite food is {v}.
            The food I like best is {v}.
            Nothing tastes better to me than {v}.
            I would pick {v} over any other food.
            The best dish in the world is {v} if you ask me.
            {v} is my favorite dish.
        """,
        answers="""
            It has to be {v}.
            If I could eat one thing forever, I would take {v}.
        """,
        asks="""
            What is your favorite food?
            What food do you like best?
            What is your favorite dish?
        """,
    ),
    fact(
        "favorite drink",
        "coffee|green tea|lemonade|apple juice|hot chocolate|red wine|ginger beer|milk",
        states="""
            My favorite drink is {v}.
            The drink I like best is {v}.
            I choose {v} over every other drink.
            No drink is better than {v}.
            I drink more {v} than anything else.
            {v} is my favorite drink.
        """,
        answers="""
            That's {v} for me.
            Give me {v} and I'm happy.
        """,
        asks="""
            What is your favorite drink?
            What do you like to drink most?
        """,
    ),
    fact(
        "favorite band",
        "Coldplay|Radiohead|Nirvana|Metallica|Queen|ABBA|Pink Floyd|Fleetwood Mac",
        states="""
            My favorite band is {v}.
            The band I like best is {v}.
            I listen to {v} more than to any other band.
            No band is better than {v}.
            {v} is my favorite band.
            The best band of all time is {v}.
        """,
        answers="""
            I'd say {v}.
            On my wall there is one big poster, and it shows {v}.
        """,
        asks="""
            What is your favorite band?
            Which band do you like best?
        """,
    ),
    fact(
        "favorite movie",
        "Titanic|Inception|Gladiator|Frozen|Avatar|Jaws|Casablanca|The Matrix",
        states="""
            My favorite movie is {v}.
            The movie I like best is {v}.
            I have watched {v} more often than any other movie.
            The best movie ever made is {v}.
            {v} is my favorite film.
            No film is better than {v}.
        """,
        answers="""
            It's {v}.
            I could watch {v} every single night.
        """,
        asks="""
            What is your favorite movie?
            Which film do you like best?
        """,
    ),
    fact(
        "favorite author",
        "Stephen King|Jane Austen|Agatha Christie|Mark Twain|Ernest Hemingway|Toni Morrison",
        states="""
            My favorite author is {v}.
            The author I like best is {v}.
            I read {v} more than any other author.
            No writer is better than {v}.
            {v} is my favorite writer.
            The greatest author of all is {v}.
        """,
        answers="""
            That's {v}.
            Nobody writes like {v}.
        """,
        asks="""
            Who is your favorite author?
            Which author do you like best?
            Who is your favorite writer?
        """,
    ),
    fact(
        "team",
        "the Lakers|the Yankees|the Chicago Bulls|the Dodgers|the Dallas Cowboys|the Celtics",
        states="""
            My favorite team is {v}.
            The only team I support is {v}.
            I am a fan of {v} and of no other team.
            The team I cheer for is {v}.
            I have always supported {v}, my favorite team.
            My whole family roots for {v}, the team we love.
        """,
        answers="""
            I support {v}.
            My heart belongs to {v}.
        """,
        asks="""
            What is your favorite team?
            Which team do you support?
            Who do you root for?
        """,
        denials="""
            I don't follow any team.
        """,
    ),
    fact(
        "sport",
        "tennis|soccer|basketball|golf|volleyball|badminton|hockey|baseball",
        states="""
            The only sport I play is {v}.
            My favorite sport is {v}.
            I like {v} more than any other sport.
            The sport I do every week is {v}.
            {v} is my favorite sport.
            If there is one sport for me, it is {v}.
        """,
        answers="""
            It's {v}.
            You will find me at the {v} club.
        """,
        asks="""
            What is your favorite sport?
            What sport do you play?
        """,
        denials="""
            I don't do any sports.
            I hate all sports.
        """,
    ),
    fact(
        "instrument",
        "the piano|the violin|the guitar|the drums|the flute|the trumpet|the cello|the harp",
        states="""
            The only instrument I play is {v}.
            My instrument is {v}.
            I learned to play {v} as a child, my one instrument.
            I take lessons on my only instrument, {v}.
            In the school band my instrument was {v}.
            I practice my instrument, {v}, every evening.
        """,
        answers="""
            I play {v}.
            My neighbors hear me on {v} every night.
        """,
        asks="""
            What instrument do you play?
            Which instrument did you learn?
        """,
        denials="""
            I don't play any instrument.
        """,
    ),
    fact(
        "car",
        "a Toyota|a Honda|a Ford|a Tesla|a Volvo|a BMW|a Jeep|a Chevrolet",
        states="""
            I drive {v}.
            My car is {v}.
            The car I own is {v}.
            I bought {v} as my only car.
            The car in my garage is {v}.
            I drive to work in {v}.
        """,
        answers="""
            It's {v}.
            There is {v} in front of my house.
        """,
        asks="""
            What car do you drive?
            What kind of car do you have?
        """,
        denials="""
            I don't own a car.
            I can't drive.
        """,
    ),
    fact(
        "holiday",
        "Christmas|Halloween|Thanksgiving|Easter|Hanukkah|Diwali|Valentine's Day|New Year's Eve",
        states="""
            My favorite holiday is {v}.
            The holiday I like best is {v}.
            I enjoy {v} more than any other holiday.
            No holiday is as nice as {v}.
            {v} is my favorite holiday.
            The best holiday of the year is {v}.
        """,
        answers="""
            It's {v}.
            I look forward to {v} all year long.
        """,
        asks="""
            What is your favorite holiday?
            Which holiday do you like best?
        """,
    ),
    fact(
        "dream trip",
        "Paris|Tokyo|Sydney|Rome|Cairo|Lisbon|Bangkok|Berlin",
        states="""
            The place I most want to visit is {v}.
            My next vacation will be in {v}.
            I have booked a flight to {v}.
            I dream of a vacation in {v}.
            The trip I am planning goes to {v}.
            I am saving up for a trip to {v}.
        """,
        answers="""
            To {v}.
            My suitcase is packed for {v}.
        """,
        asks="""
            Where will your next vacation be?
            Which place do you want to visit?
            Where is your trip going?
        """,
    ),
    fact(
        "season",
        "spring|summer|autumn|winter",
        states="""
            My favorite season is {v}.
            The season I like best is {v}.
            I like {v} more than any other season.
            No season is as beautiful as {v}.
            {v} is my favorite season.
            Of all the seasons I enjoy {v} the most.
        """,
        answers="""
            I'd go with {v}.
            I am happiest in {v}.
        """,
        asks="""
            What is your favorite season?
            Which season do you like best?
        """,
    ),
    fact(
        "favorite animal",
        "dolphins|elephants|horses|penguins|owls|tigers|turtles|rabbits",
        states="""
            My favorite animals are {v}.
            The animals I like best are {v}.
            I like {v} more than any other animal.
            No animals are as lovely as {v}.
            Of all animals I love {v} the most.
            At the zoo I only want to see {v}, my favorite animals.
        """,
        answers="""
            They're {v}.
            I have pictures of {v} all over my room.
        """,
        asks="""
            What is your favorite animal?
            Which animals do you like best?
        """,
    ),
)
